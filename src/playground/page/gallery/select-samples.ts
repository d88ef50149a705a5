import type { JsonObject } from "../../json.ts";
import {
  actions,
  beside,
  input,
  longOptions,
  message,
  modal,
  option,
  plain,
  prose,
  type SampleGroup,
  times,
  unbroken,
} from "./sample.ts";

const sizes = ["Small", "Medium", "Large :whale:"].map((size) => option(size));
const described = sizes.map((each, at) => ({ ...each, description: plain(`${2 ** at} GB of memory`) }));
const groups = ["Jobs", "Services"].map((kind) => ({
  label: plain(kind),
  options: times(3, (at) => option(`${kind.slice(0, -1)} ${at + 1}`)),
}));
const many = longOptions(100);

const select = (type: string, more: JsonObject = {}): JsonObject => ({ type, placeholder: plain("Pick one"), ...more });
const fixed = (more: JsonObject = {}): JsonObject => select("static_select", { options: sizes, ...more });
const severals = (more: JsonObject = {}): JsonObject => select("multi_static_select", { options: described, ...more });
const choices = (type: string, more: JsonObject = {}): JsonObject => ({ type, options: described, ...more });

const named = actions(
  select("users_select", { initial_user: "U0DANA" }),
  select("channels_select"),
  select("conversations_select"),
);

export const selectSamples: readonly SampleGroup[] = [
  {
    name: "Select",
    samples: [
      message("least", actions({ type: "static_select", options: [option("x")] })),
      message("typical", beside("Size of *web*", fixed({ initial_option: sizes[1] ?? {} }))),
      modal("as an input", input("Size", fixed({ options: described })), input("Again", fixed(), { optional: true })),
      message("groups", actions(select("static_select", { option_groups: groups }))),
      message("100 options, as long as they may be", actions(fixed({ options: many, initial_option: many[99] ?? {} }))),
      modal("a placeholder of 150 characters", input("Size", fixed({ placeholder: plain(unbroken(150)) }))),
      message("options from the bot", actions(select("external_select", { action_id: "external-3" }))),
      modal(
        "options from the bot, at once",
        input("Workload", select("external_select", { min_query_length: 0, action_id: "external-0" })),
      ),
      message("people, channels, conversations", named),
      modal("people in a modal", input("Who", select("users_select")), input("Where", select("conversations_select"))),
    ],
  },
  {
    name: "Multi-select",
    samples: [
      message("least", beside("a", { type: "multi_static_select", options: [option("x")] })),
      message("typical", beside("Sizes", severals({ initial_options: described.slice(0, 2) }))),
      modal("at most 2", input("Sizes", severals({ max_selected_items: 2 }), { hint: plain("Two are enough") })),
      modal("100 options, 10 chosen", input("Names", severals({ options: many, initial_options: many.slice(0, 10) }))),
      modal(
        "from the bot, people, channels",
        input("Workloads", select("multi_external_select", { min_query_length: 1 })),
        input("People", select("multi_users_select", { initial_users: ["U0DANA", "U0ALEX"] })),
        input("Channels", select("multi_channels_select")),
        input("Conversations", select("multi_conversations_select")),
      ),
    ],
  },
  {
    name: "Checkboxes and radio buttons",
    samples: [
      message("least", actions({ type: "checkboxes", options: [option("x")] })),
      message("in a message", actions(choices("radio_buttons", { initial_option: described[0] ?? {} }))),
      modal(
        "typical",
        input("Sizes", choices("checkboxes", { initial_options: described.slice(1, 2) })),
        input("Size", choices("radio_buttons")),
      ),
      modal("10, as long as they may be", input(prose(200), choices("checkboxes", { options: longOptions(10) }))),
      modal("10 radio buttons", input("One of", choices("radio_buttons", { options: longOptions(10) }))),
    ],
  },
];

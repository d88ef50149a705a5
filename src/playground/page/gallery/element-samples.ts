import type { JsonObject } from "../../json.ts";
import {
  actions,
  beside,
  button,
  input,
  longOptions,
  message,
  modal,
  mrkdwn,
  option,
  plain,
  prose,
  type SampleGroup,
  times,
  unbroken,
} from "./sample.ts";

const confirm = (more: JsonObject = {}): JsonObject => ({
  title: plain("Delete web?"),
  text: mrkdwn("This stops *2 instances* and cannot be undone."),
  confirm: plain("Delete"),
  deny: plain("Keep"),
  ...more,
});

const overflow = (more: JsonObject = {}): JsonObject => ({
  type: "overflow",
  options: [
    option("Restart"),
    { ...option("Open the docs"), url: "https://docs.slack.dev" },
    { ...option("Delete"), description: plain("for ever") },
  ],
  ...more,
});

const looks = actions(
  button("Plain"),
  button("Primary :rocket:", { style: "primary" }),
  button("Danger", { style: "danger" }),
  button("Opens a page", { url: "https://docs.slack.dev" }),
  button("…", { accessibility_label: "More of it" }),
);

export const clickSamples: readonly SampleGroup[] = [
  {
    name: "Button",
    samples: [
      message("least", actions(button("x"))),
      message("looks", looks),
      modal("looks in a modal", looks),
      message("beside a section", beside("*web* is running", button("Stop", { style: "danger" }))),
      message("a bot that does not answer", actions(button("Try it", { action_id: "no-answer" }))),
      message(
        "confirmation",
        actions(
          button("Delete", { style: "danger", confirm: confirm({ style: "danger" }) }),
          button("Short", { confirm: { text: plain("Sure?") } }),
        ),
      ),
      modal(
        "the longest confirmation",
        actions(
          button("Ask", {
            confirm: confirm({
              title: plain(unbroken(100)),
              text: plain(prose(300)),
              confirm: plain(unbroken(30)),
              deny: plain(unbroken(30)),
            }),
          }),
        ),
      ),
      message("25 buttons", actions(...times(25, (at) => button(`Button ${at + 1}`)))),
      message(
        "75 characters without a space",
        actions(button(unbroken(75)), button(unbroken(75), { style: "primary" })),
      ),
      message("75 characters beside a section", beside(prose(200), button(unbroken(75)))),
    ],
  },
  {
    name: "Overflow menu",
    samples: [
      message("least", beside("a", { type: "overflow", options: [option("x")] })),
      message("typical", beside("*web* is running", overflow({ confirm: confirm() }))),
      modal("in a modal", actions(overflow())),
      message("5 options, as long as they may be", beside("*web*", { type: "overflow", options: longOptions(5) })),
    ],
  },
];

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

const text = (more: JsonObject = {}): JsonObject => ({ type: "plain_text_input", ...more });
const number = (more: JsonObject = {}): JsonObject => ({ type: "number_input", is_decimal_allowed: false, ...more });
const date = (more: JsonObject = {}): JsonObject => ({ type: "datepicker", initial_date: "2026-11-20", ...more });
const time = (more: JsonObject = {}): JsonObject => ({ type: "timepicker", initial_time: "23:59", ...more });
const moment = (more: JsonObject = {}): JsonObject => ({
  type: "datetimepicker",
  initial_date_time: 1_795_248_000,
  ...more,
});

export const fieldSamples: readonly SampleGroup[] = [
  {
    name: "Text input",
    samples: [
      modal("least", input("x", text())),
      modal(
        "typical",
        input("Name", text({ placeholder: plain("web-1") }), { hint: plain("Lower case, digits and dashes") }),
        input("Note", text({ multiline: true, initial_value: "two\nlines" }), { optional: true }),
      ),
      modal("20 to 100 characters", input("Why", text({ min_length: 20, max_length: 100, initial_value: "short" }))),
      {
        ...modal("with errors", { ...input("Name", text({ initial_value: "WEB" })), block_id: "wrong" }),
        errors: { wrong: "Names are lower case. Try web." },
      },
      modal(
        "tells the bot",
        input("On Enter", text(), { dispatch_action: true }),
        input("On each character", text({ dispatch_action_config: { trigger_actions_on: ["on_character_entered"] } }), {
          dispatch_action: true,
        }),
      ),
      message("in a message", input("Reason", text({ placeholder: plain("Why?") }))),
      modal(
        "label and hint of 2000 characters, 3000 in the field",
        input(prose(2000), text({ multiline: true, initial_value: unbroken(3000), max_length: 3000 }), {
          hint: plain(prose(2000)),
        }),
      ),
    ],
  },
  {
    name: "Other fields",
    samples: [
      modal(
        "numbers",
        input("Replicas", number({ min_value: "1", max_value: "20", initial_value: "2" })),
        input("Ratio", number({ is_decimal_allowed: true })),
      ),
      modal(
        "email and address",
        input("Email", { type: "email_text_input", placeholder: plain("dana@x.test") }),
        input("Address", { type: "url_text_input", initial_value: "https://x.test" }),
      ),
      modal("rich text, typed as plain", input("Note", { type: "rich_text_input" })),
      modal("files, shown only", input("Logs", { type: "file_input", max_files: 10 }, { optional: true })),
    ],
  },
  {
    name: "Dates",
    samples: [
      message("least", actions({ type: "datepicker" }, { type: "timepicker" }, { type: "datetimepicker" })),
      message("beside a section", beside("Remind me", date()), beside("At", time())),
      message("in a row", actions(date(), time(), moment())),
      modal("as inputs", input("Day", date()), input("Time", time()), input("Moment", moment(), { optional: true })),
    ],
  },
];

import type { JsonObject } from "../../json.ts";
import { actions, beside, input, message, modal, plain, prose, type SampleGroup, unbroken } from "./sample.ts";

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

import type { JsonObject } from "../../json.ts";
import { message, modal, prose, type SampleGroup, times, unbroken } from "./sample.ts";

const rich = (...elements: readonly JsonObject[]): JsonObject => ({ type: "rich_text", elements });
const words = (text: string, style?: JsonObject): JsonObject => ({ type: "text", text, ...(style && { style }) });
const line = (...elements: readonly JsonObject[]): JsonObject => ({ type: "rich_text_section", elements });
const list = (more: JsonObject, ...items: readonly JsonObject[]): JsonObject => ({
  type: "rich_text_list",
  style: "bullet",
  elements: items,
  ...more,
});
const pre = (text: string, more: JsonObject = {}): JsonObject => ({
  type: "rich_text_preformatted",
  elements: [words(text)],
  ...more,
});

const styles = line(
  words("bold", { bold: true }),
  words(" italic", { italic: true }),
  words(" strike", { strike: true }),
  words(" underline", { underline: true }),
  words(" "),
  words("code", { code: true }),
  words(" all of it", { bold: true, italic: true, strike: true }),
);

const live = line(
  { type: "user", user_id: "U0DANA" },
  words(" in "),
  { type: "channel", channel_id: "C0OPS" },
  words(" told "),
  { type: "usergroup", usergroup_id: "S0ONCALL" },
  words(" and "),
  { type: "broadcast", range: "channel" },
  words(" "),
  { type: "emoji", name: "rocket" },
  words(" "),
  { type: "link", url: "https://docs.slack.dev", text: "a link" },
  words(" "),
  { type: "link", url: "https://docs.slack.dev/block-kit" },
  words(" "),
  { type: "date", timestamp: 1_795_248_000, format: "{date_short_pretty}, {time}", fallback: "21 Nov 2026" },
  words(" "),
  { type: "color", value: "#36a64f" },
);

const lists = rich(
  list({}, line(words("bullet")), line(words("with "), words("style", { bold: true }))),
  list({ indent: 1 }, line(words("nested")), line(words(prose(160)))),
  list({ indent: 2 }, line(words("nested twice"))),
  list({ style: "ordered" }, line(words("first")), line(words("second"))),
  list({ style: "ordered", indent: 1 }, line(words("letters"))),
  list({ style: "ordered", offset: 2 }, line(words("third, after the nested list"))),
);

const log = times(12, (at) => `2026-11-20T08:1${at % 10}:00Z level=info msg="GET /healthz" status=200 ms=${at}`);

export const richSamples: readonly SampleGroup[] = [
  {
    name: "Rich text",
    samples: [
      message("least", rich(line())),
      message("styles", rich(styles)),
      message("what is live", rich(live)),
      modal("what is live, in a modal", rich(styles, live)),
      message("lists", lists),
      modal("lists in a modal", lists),
      message(
        "quote and code",
        rich(
          { type: "rich_text_quote", elements: [words("A quote\nof two lines")] },
          pre(log.join("\n")),
          pre('{ "replicas": 2 }', { language: "json", border: 1 }),
          line(words("after")),
        ),
      ),
      message("8 levels of indent", rich(...times(9, (at) => list({ indent: at }, line(words(`level ${at}`)))))),
      message("a line without spaces", rich(line(words(unbroken(400))), pre(unbroken(400)))),
      message("characters that HTML would take", rich(line(words('<img src=x onerror="alert(1)"> & </div>')))),
      {
        ...message(
          "an address that is not safe to open",
          rich(line({ type: "link", url: "javascript:alert(1)", text: "click" })),
        ),
        isRefused: true,
      },
    ],
  },
];

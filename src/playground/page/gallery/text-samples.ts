import { message, modal, mrkdwn, plain, prose, type SampleGroup, section, times, unbroken } from "./sample.ts";
import type { JsonObject } from "../../json.ts";

const everything = `*bold*, _italic_, ~strike~, \`code\`, *_bold italic_*, <https://docs.slack.dev|a link>, https://docs.slack.dev/block-kit
<@U0DANA> <#C0OPS> <!subteam^S0ONCALL> <!here> <!channel> :tada: :white_check_mark: :+1::skin-tone-3: :no_such_emoji:
Due <!date^1795248000^{date_long_pretty} at {time}|21 November 2026>, last seen <!date^1795240000^{ago}|a while ago>
• one
• two with a_snake_case_name and 2*3*4
&gt; A quoted line
&gt; and a second one, 1 &lt; 2 &amp; 3
\`\`\`
$ gantry logs web --tail 2
level=info msg="GET /healthz 200"
\`\`\`
after the code`;

export const textSamples: readonly SampleGroup[] = [
  {
    name: "Header",
    samples: [
      message("least", { type: "header", text: plain("x") }),
      message("typical", { type: "header", text: plain("Services :rocket:") }),
      message("150 characters", { type: "header", text: plain(prose(150)) }),
      modal("150 characters without a space", { type: "header", text: plain(unbroken(150)) }),
    ],
  },
  {
    name: "Section",
    samples: [
      message("least", section({ text: plain(" ") })),
      message("mrkdwn", section({ text: mrkdwn(everything) })),
      modal("mrkdwn in a modal", section({ text: mrkdwn(everything) })),
      message("plain text is not parsed, emoji are", section({ text: plain("*not bold* <@U0DANA> :tada:") })),
      message(
        "fields",
        section({ text: mrkdwn("*web* is running"), fields: [mrkdwn("*Size*\n2"), mrkdwn("*Memory*\n512 MB")] }),
      ),
      message("3000 characters", section({ text: mrkdwn(prose(3000)) })),
      message("10 fields without spaces", section({ fields: times(10, () => mrkdwn(unbroken(300))) })),
      modal("a field of 2000 characters", section({ fields: [mrkdwn(prose(2000)), mrkdwn("short")] })),
      { ...message("neither text nor fields", section({})), isRefused: true },
    ],
  },
  {
    name: "Context and divider",
    samples: [
      message("least", { type: "context", elements: [plain(" ")] }),
      message(
        "typical",
        section({ text: mrkdwn("above") }),
        { type: "divider" },
        {
          type: "context",
          elements: [
            { type: "image", image_url: "https://gantry.example/picture.svg", alt_text: "a picture" },
            mrkdwn("asked by <@U0DANA>"),
            plain("3 minutes ago"),
          ],
        },
      ),
      modal("10 elements", { type: "context", elements: times(10, (at) => mrkdwn(`${at + 1} ${unbroken(60)}`)) }),
    ],
  },
  {
    name: "Alert",
    samples: [
      modal("least", { type: "alert", text: plain("x") }),
      ...["default", "info", "warning", "error", "success"].map((level) =>
        modal(level, { type: "alert", level, text: mrkdwn("This *restarts* 3 of 4 instances.") }),
      ),
      modal("200 characters", { type: "alert", level: "warning", text: plain(unbroken(200)) }),
    ],
  },
  {
    name: "Markdown",
    samples: [
      message("least", { type: "markdown", text: "x" }),
      message("typical", {
        type: "markdown",
        text: "# A plan\nFirst **stop** it, *then* ~~wait~~ `start` it: see [the page](https://docs.slack.dev).\n\n1. one\n2. two\n   - nested\n\n> A quote\n\n---\n```sh\nnpm start\n```\n<b>HTML is text</b>",
      }),
      message("12,000 characters", { type: "markdown", text: prose(12_000) }),
    ],
  },
];

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

import { describe, expect, test } from "vitest";
import { addressedBy } from "../../../../src/bot/slack/receive/addressed.ts";

const BOT = "U0BOT";
const said = (text: string, isDirect = false) => addressedBy({ text, isDirect }, BOT);

describe("what is said to the bot", () => {
  test.each([
    ["<@U0BOT> restart web", "restart web"],
    ["<@U0BOT|gantry>, restart web", "restart web"],
    ["<@U0BOT>: restart web", "restart web"],
    ["<@U0BOT> - restart web", "restart web"],
    ["hey <@U0BOT> restart web", "restart web"],
    ["Good morning! :wave: please <@U0BOT> restart web", "restart web"],
    ["hola <@U0BOT> restart web", "restart web"],
    ["<@U0BOT> <@U0BOT> restart web <@U0BOT>", "restart web"],
    ["restart web <@U0BOT>", "restart web"],
    ["restart web, please <@U0BOT> thanks", "restart web, please thanks"],
    ["restart web <@U0BOT>?", "restart web ?"],
    ["<@U0BOT> `restart web`", "`restart web`"],
    ["&gt; is web down?\n<@U0BOT> show web", "show web"],
    ["<@U0BOT> show web\n```\nerror 42\n```", "show web"],
    ["<@U0BOT>", ""],
  ])("%s", (text, words) => expect(said(text)).toEqual({ text: words }));

  test("a mention in the middle is told apart, with the words before it", () => {
    expect(said("don't let <@U0BOT> scale web 5")).toEqual({ text: "scale web 5", before: "don't let " });
    expect(said("• <@U0BOT> restart web")).toEqual({ text: "restart web", before: "• " });
    expect(said("<@U0ALEX> <@U0BOT> restart web")).toEqual({ text: "restart web", before: "<@U0ALEX> " });
    expect(said("“<@U0BOT> restart web”")).toEqual({ text: "restart web”", before: "“" });
  });

  test("a command in a code block is told apart too", () => {
    expect(said("<@U0BOT> ```restart web```")).toEqual({ text: "restart web", before: "" });
    expect(said("```restart web```", true)).toEqual({ text: "restart web", before: "" });
  });

  test("in a direct message nobody has to mention it", () => {
    expect(said("restart web", true)).toEqual({ text: "restart web" });
    expect(said("&gt; restart web\nthanks", true)).toEqual({ text: "thanks" });
  });

  test("until Slack has said who the bot is, a mention of anybody counts", () => {
    const early = addressedBy({ text: "don't let <@U0BOT> scale web 5", isDirect: false }, undefined);

    expect(early).toEqual({ text: "scale web 5", before: "don't let " });
  });
});

describe("a quote or code says nothing to the bot", () => {
  test.each([
    "&gt; <@U0BOT> restart web",
    "> <@U0BOT> restart web\nthat was yesterday",
    "look:\n  &gt; <@U0BOT> restart web\nwhy?",
    "&gt;&gt;&gt; he wrote\n<@U0BOT> restart web",
    "`<@U0BOT> restart web`",
    "type `<@U0BOT> restart web` to do it",
    "a `b` and `<@U0BOT> restart web` here",
    "```\n<@U0BOT> restart web\n```",
    "```<@U0BOT> restart web```\nthat's how",
    "```\n<@U0BOT> restart web",
  ])("%s", (text) => expect(said(text)).toBeUndefined());

  test("inline code before and after a mention isn't around it", () => {
    expect(said("`a` <@U0BOT> `b`")).toEqual({ text: "`b`", before: "`a` " });
  });
});

const user = { type: "user", user_id: BOT };
const text = (words: string, style?: object) => ({ type: "text", text: words, ...(style && { style }) });
const rich = (...elements: readonly object[]) => [{ type: "rich_text", elements }];
const section = (...elements: readonly object[]) => ({ type: "rich_text_section", elements });

describe("what the composer sends counts more than its text", () => {
  const whatever = "<@U0BOT> restart web";

  test.each<[string, readonly object[]]>([
    ["a quote", rich({ type: "rich_text_quote", elements: [user, text(" restart web")] })],
    ["a code block", rich({ type: "rich_text_preformatted", elements: [user, text(" restart web")] })],
    [
      "inline code",
      rich(section(text("type "), { ...user, style: { code: true } }, text(" restart web", { code: true }))),
    ],
  ])("%s", (_name, blocks) => {
    expect(addressedBy({ text: whatever, blocks, isDirect: false }, BOT)).toBeUndefined();
  });

  test.each<[string, readonly object[], object]>([
    ["a section", rich(section(user, text(" restart web"))), { text: "restart web" }],
    ["bold words", rich(section(user, text(" "), text("restart web", { bold: true }))), { text: "restart web" }],
    [
      "a quote and an own line",
      rich({ type: "rich_text_quote", elements: [text("restart web")] }, section(user, text(" show web"))),
      { text: "show web" },
    ],
    [
      "a list",
      rich({ type: "rich_text_list", elements: [section(user, text(" restart web")), section(text("b"))] }),
      { text: "restart web\n• b", before: "• " },
    ],
    [
      "a link",
      rich(
        section(user, text(" domains web add "), {
          type: "link",
          url: "http://a.example.com",
          text: "a.example.com",
        }),
      ),
      { text: "domains web add <http://a.example.com|a.example.com>" },
    ],
    ["struck words", rich(section(user, text(" restart web", { strike: true }))), { text: "~ restart web~" }],
    ["signs", rich(section(user, text(" logs web --grep a<b&c"))), { text: "logs web --grep a&lt;b&amp;c" }],
  ])("%s", (_name, blocks, expected) => {
    expect(addressedBy({ text: whatever, blocks, isDirect: false }, BOT)).toEqual(expected);
  });

  test("blocks of no known form leave the text", () => {
    for (const blocks of [[], [null], [{ type: "section" }], ["x"], [{ elements: [] }]]) {
      expect(addressedBy({ text: whatever, blocks, isDirect: false }, BOT)).toEqual({ text: "restart web" });
    }
  });
});

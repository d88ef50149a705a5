import { describe, expect, test } from "vitest";
import type { ChannelBinding } from "../../../../src/bot/commands/command.ts";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { drawn } from "../../views/support/drawn.ts";
import { service } from "../../views/support/workloads.ts";
import { answerTo, refuse, scripted } from "../support/script.ts";
import fc from "fast-check";
import { limits, section } from "../../../../src/bot/views/kit/blocks.ts";
import { post, withContextLine } from "../../../../src/bot/views/kit/post.ts";
import { useMessage, type UseMessage } from "../../../../src/bot/commands/verbs/use.ts";
import { hostileText } from "../../views/support/hostile.ts";
import { expectFits } from "../../views/support/judges.ts";

function wish(text: string) {
  const { command, ask } = parseText(text);
  if (command.effect !== "bind") throw new Error(`${text} binds nothing`);
  return command.binding(ask);
}

const none = { region: undefined, names: undefined, account: undefined, isLocked: false };

test.each([
  ["use", { kind: "show" }],
  ["use --clear", { kind: "clear" }],
  ["use --region beijing1", { kind: "bind", terms: { ...none, region: "beijing1" } }],
  ['use --names "shop-*" --lock', { kind: "bind", terms: { ...none, names: "shop-*", isLocked: true } }],
  ["use --account team", { kind: "bind", terms: { ...none, account: "team" } }],
  [
    "use -region beijing1 --names shop-* --account team --lock",
    { kind: "bind", terms: { region: "beijing1", names: "shop-*", account: "team", isLocked: true } },
  ],
])("%s", (text, expected) => {
  expect(wish(text)).toEqual(expected);
});

test.each([
  ["use --lock", /--lock needs --region or --names/u],
  ["use --lock --account team", /--lock needs --region or --names/u],
  ["use --clear --lock", /without other flags/u],
  ["use --clear --region beijing2", /without other flags/u],
  ["use --names *", /to allow every name/u],
  ['use --names "**"', /every name/u],
  ['use --names ""', /a pattern such as/u],
  ["use --names a/b", /a pattern such as/u],
  [`use --region ${"r".repeat(101)}`, /can't be a region's name/u],
  ["use --region a/b", /can't be a region's name/u],
  ["use --account é", /plain letters/u],
  ["use beijing2", /^`use` doesn't take `beijing2`\.$/u],
  ["use --share", /I don't know the flag `--share`/u],
  ["use --region", /`--region` needs a value/u],
])("%s is refused", (text, sentence) => {
  expect(() => parseText(text)).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(sentence),
      usage: expect.stringContaining("use [--region R]"),
    }),
  );
});

/** The binding of this channel, as a verb gets it. */
const shop: ChannelBinding = {
  region: "beijing2",
  names: "shop-*",
  isLocked: false,
  boundBy: { userId: "U0DANA", name: "Dana Reyes" },
  boundAt: new Date(0),
  covers: (name) => name.startsWith("shop-"),
};

describe("can-i use", () => {
  test("asks for the region that it would be bound to", async () => {
    const script = scripted({ binding: shop });

    const told = drawn(await answerTo("can-i use --region us --lock", script));
    await answerTo("can-i use", script);
    await answerTo("can-i use --clear", script);
    await answerTo("can-i use --names x", script);

    expect(told).toMatchInlineSnapshot(`
      "✅ Yes, you can run use here.
      Policy: members do."
    `);
    expect(script.asked.map(({ op, risk, workload }) => [op, risk, workload.region])).toEqual([
      ["bindChannel", "routine", "us"],
      ["bindChannel", "routine", "beijing2"],
      ["bindChannel", "routine", "beijing2"],
      ["bindChannel", "routine", "beijing1"],
    ]);
  });

  test("says why not", async () => {
    expect(drawn(await answerTo("can-i use", { permissions: () => refuse }))).toMatchInlineSnapshot(`
      "🚫 No. No rule lets a guest do this.
      Ask a full member."
    `);
  });
});

test("help names the flags", async () => {
  expect(drawn(await answerTo("help use"))).toMatchInlineSnapshot(`
    "# /gantry use
    Show or set this channel's region, names and account
    Usage  /gantry use [--region R] [--names "shop-*"] [--account A] [--lock] [--clear]
    Example  /gantry use --region beijing1 --names "shop-*" --lock
    You can use it here. To see which policy rule decides: /gantry can-i use
    • --region R  default region for services here
    • --names PATTERN  list and suggest only these names; * matches anything
    • --account A  use this account here
    • --lock  refuse other regions and names here
    • --clear  remove the binding
    [Open form]"
  `);
});

describe("where the channel is bound to names", () => {
  const services = [service("shop-front", {}), service("web", {}), service("webx", {})];

  test("a list shows only these", async () => {
    const told = drawn(await answerTo("list services", { services, binding: shop }));

    expect(told).toContain("shop-front");
    expect(told).toContain("1 service in beijing1");
  });

  test("a typo is held against these alone", async () => {
    await expect(answerTo("show wab", { services, binding: shop })).rejects.toMatchObject({
      next: expect.not.stringContaining("Did you mean"),
    });
    await expect(answerTo("show shop-frnt", { services, binding: shop })).rejects.toMatchObject({
      next: "Did you mean `shop-front`?",
    });
  });
});

const here = { channelId: "C0OPS", command: "/gantry" };
const terms = { region: "beijing1", names: "shop-*", account: "team-ops", isLocked: true };
const binding = { ...terms, isLocked: false, boundBy: { userId: "U0DANA", name: "Dana Reyes" }, boundAt: new Date(0) };
const regions = ["beijing1", "beijing2"];

test("what a channel is bound to, in each case", () => {
  const messages: UseMessage[] = [
    { kind: "bound", by: "Dana Reyes", terms, regions, ...here },
    { kind: "same", by: "Dana Reyes", terms: { region: "bejing1", isLocked: false }, regions, ...here },
    { kind: "shown", binding, ...here },
    { kind: "unbound", by: "Dana Reyes", ...here },
    { kind: "nothing", ...here },
    { kind: "direct", command: "/gantry" },
  ];

  expect(messages.map((each) => drawn(useMessage(each))).join("\n\n")).toMatchInlineSnapshot(`
    "✅ Dana Reyes set up #ops:
    • Region beijing1 is the default for services; jobs have their own region. Other regions are refused here.
    • Names shop-*: lists and suggestions show only these. Other names are refused here.
    • Account team-ops is used for requests here.
    To see it: /gantry use. To remove it: /gantry use --clear

    #ops already has this binding. Nothing to do.
    • Region bejing1 is the default for services; jobs have their own region. Use --region for another one.
    ⚠️ bejing1 isn't a known region. Known regions: beijing1, beijing2.
    To see it: /gantry use. To remove it: /gantry use --clear

    Binding of #ops, set by Dana Reyes, 1970-01-01 00:00 UTC:
    • Region beijing1 is the default for services; jobs have their own region. Use --region for another one.
    • Names shop-*: lists and suggestions show only these. Other names still work when typed in full.
    • Account team-ops is used for requests here.
    To change it: /gantry use --region R. To remove it: /gantry use --clear

    ✅ Dana Reyes removed the binding of #ops.
    All regions and names are available, as far as policy allows.

    #ops has no binding. All regions and names are available, as far as policy allows.
    To bind it: /gantry use --region R, --names "shop-*" or --account A. Add --lock to refuse everything else.

    You can bind only channels, not direct messages. Use it in a channel.
    To set your own default region, open my Home tab."
  `);
});

test("whatever it is bound to, Slack takes it, and nothing in it comes alive", () => {
  const anything = fc.record({ region: hostileText, names: hostileText, account: hostileText, isLocked: fc.boolean() });
  const unreal = { ...here, channelId: "no id" };
  fc.assert(
    fc.property(anything, hostileText, fc.array(hostileText, { maxLength: 12 }), (any, by, known) => {
      expectFits(useMessage({ kind: "bound", by, terms: any, regions: known, ...unreal }));
      const bound = { ...any, boundBy: { userId: "U0DANA", name: by }, boundAt: new Date(0) };
      expectFits(useMessage({ kind: "shown", binding: bound, ...unreal }));
      expectFits(withContextLine(post(by, [section(by)]), `This channel: ${any.names}`));
    }),
  );
});

test("a small line stands under the head of a thread and under what one person gets; a full message stays as it is", () => {
  const alone = post("alone", [section("alone")]);
  const head = post("head", [section("head")]);
  const threaded = withContextLine(
    { ...head, thread: { replies: [head], files: [], alone } },
    "This channel: region us",
  );
  const full = post(
    "full",
    Array.from({ length: limits.blocks }, () => section("x")),
  );

  expect(drawn(threaded)).toBe("head\nThis channel: region us");
  expect(drawn(threaded.thread?.alone ?? head)).toBe("alone\nThis channel: region us");
  expect(threaded.thread?.replies).toEqual([head]);
  expect(withContextLine(full, "This channel: region us").blocks).toHaveLength(limits.blocks);
  expect(withContextLine(full, "This channel: region us").text).toBe("full\nThis channel: region us");
});

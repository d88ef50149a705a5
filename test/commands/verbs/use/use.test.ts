import { describe, expect, test } from "vitest";
import type { ChannelBinding } from "../../../../src/commands/command.ts";
import { parseText } from "../../../../src/commands/grammar/parse.ts";
import { drawn } from "../../../views/support/drawn.ts";
import { service } from "../../../views/support/workloads.ts";
import { answerTo, refuse, scripted } from "../../support/script.ts";

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
  ["use --clear --lock", /--clear stands alone/u],
  ['use --names "**"', /every name/u],
  ['use --names ""', /a pattern such as/u],
  ["use --names a/b", /a pattern such as/u],
  [`use --region ${"r".repeat(101)}`, /cannot be the name of a region/u],
  ["use --account é", /plain letters/u],
  ["use --region", /`--region` needs a value/u],
])("%s is refused", (text, sentence) => {
  expect(() => parseText(text)).toThrow(sentence);
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
      "use, for you here:
      ✅ Yes, at once. The rule “members do” allows it."
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
      "use, for you here:
      🚫 No. No rule lets a guest do this.
      Ask a full member."
    `);
  });
});

test("help names the flags", async () => {
  expect(drawn(await answerTo("help use"))).toMatchInlineSnapshot(`
    "# /gantry use
    Bind this channel to a region, to names or to an account; show what it is bound to
    Usage  /gantry use [--region R] [--names "shop-*"] [--account A] [--lock] [--clear]
    Example  /gantry use --region beijing1 --names "shop-*" --lock
    You may use it here, at once; /gantry can-i use says which rule decides.
    • --region R  the region that is meant here for services, without --region
    • --names PATTERN  list and suggest only these; * stands for any characters
    • --account A  act with the account of this user name here
    • --lock  refuse other regions and other names here
    • --clear  take the binding away"
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

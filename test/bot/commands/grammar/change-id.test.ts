import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ChangeId, newChangeId } from "../../../../src/bot/commands/grammar/argument-types.ts";
import type { Decision } from "../../../../src/bot/commands/command.ts";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";

test.each([
  ["k7q2mx", "K7Q2MX"],
  ["#K7Q2MX", "K7Q2MX"],
  ["K7Q-2MX", "K7Q2MX"],
  ["oOilIL", "001111"],
])("%s is understood as %s", (typed, id) => {
  expect(ChangeId.parse(typed)).toBe(id);
});

test.each(["", "K7Q2M", "K7Q2MXY", "K7Q2MU", "K7Q2M!", "K7Q2Mé", "K7Q 2MX"])("“%s” is no id", (typed) => {
  expect(ChangeId.safeParse(typed).success).toBe(false);
});

test("a new id is one that can be typed back, in any case", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 6, maxLength: 6 }), (bytes) => {
      const id = newChangeId(() => bytes);

      expect(ChangeId.parse(id)).toBe(id);
      expect(ChangeId.parse(id.toLowerCase())).toBe(id);
    }),
  );
});

test("every digit of a new id is used", () => {
  const used = new Set(Array.from({ length: 500 }, () => newChangeId(randomBytes)).join(""));

  expect(used.size).toBe(32);
});

function decisionOf(text: string): Decision | undefined {
  const { command, ask } = parseText(text);
  return command.effect === "decide" ? command.decision(ask) : undefined;
}

test("words decide about the change that was meant", () => {
  expect(decisionOf("approve k7q2mo")).toEqual({ kind: "approve", changeId: "K7Q2M0", reason: undefined });
  expect(decisionOf("cancel K7Q2MX")).toEqual({ kind: "cancel", changeId: "K7Q2MX", reason: undefined });
  expect(decisionOf("reject K7Q2MX --reason 'not today'")).toEqual({
    kind: "reject",
    changeId: "K7Q2MX",
    reason: "not today",
  });
  expect(decisionOf("reject K7Q2MX")).toEqual({ kind: "reject", changeId: "K7Q2MX", reason: undefined });
});

test("linking says whose account is meant", () => {
  const linkOf = (text: string) => {
    const { command, ask } = parseText(text);
    return command.effect === "link" ? command.link(ask) : undefined;
  };

  expect(linkOf("connect")).toEqual({ kind: "connect", whose: "mine" });
  expect(linkOf("disconnect channel")).toEqual({ kind: "disconnect", whose: "channel" });
});

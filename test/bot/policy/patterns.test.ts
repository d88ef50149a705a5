import fc from "fast-check";
import { expect, test } from "vitest";
import { matchesEverything, matchesPattern } from "../../../src/bot/policy/patterns.ts";

test.each([
  ["web", "web", true],
  ["web", "webs", false],
  ["web-*", "web-1", true],
  ["web-*", "web", false],
  ["*-db", "shop-db", true],
  ["a*b*c", "a-b-c", true],
  ["a*b*c", "a-c-b", false],
  ["a*a", "a", false],
  ["ab*ba", "aba", false],
  ["w.b", "web", false],
  ["*", "", true],
])("%s and %s", (pattern, name, isMatch) => {
  expect(matchesPattern(pattern, name)).toBe(isMatch);
});

test("only stars match everything", () => {
  expect(["*", "**", "a*", ""].map(matchesEverything)).toEqual([true, true, false, false]);
});

test("it matches what the same regular expression matches", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "*", "."), maxLength: 6 });
  const text = fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 8 });
  fc.assert(
    fc.property(word, text, (pattern, name) => {
      const source = pattern.replaceAll(".", "\\.").replaceAll("*", ".*");
      expect(matchesPattern(pattern, name)).toBe(new RegExp(`^${source}$`, "u").test(name));
    }),
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { causes } from "../../../../../src/api/cause.ts";
import { levels, type WorkloadStatus } from "../../../../../src/api/workload-status.ts";
import { headLines, headText, isInVerdict, MOST } from "../../../../../src/bot/commands/verbs/show/verdict.ts";
import { dotOf } from "../../../../../src/bot/views/kit/health.ts";
import { plainTextOf } from "../../../../../src/bot/views/kit/post.ts";
import { now } from "../../../views/support/workloads.ts";

// Whatever a workload is called, however it is and whatever its log says: the first line is one line on a phone.

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const words = fc.oneof(
  fc.constantFrom(
    "running",
    "failing",
    "keeps crashing",
    "its new instances don't get ready",
    "updating, 3 of 9 replaced",
  ),
  fc.string({ minLength: 1, maxLength: 200, unit: "grapheme" }),
  // Beyond the first line, and without spaces, too.
  fc.constantFrom("out of memory ".repeat(20), "x".repeat(200)),
);
const time = fc.nat(1_000_000).map((seconds) => new Date(now.getTime() - seconds * 1_000).toISOString());
const status: fc.Arbitrary<WorkloadStatus> = fc
  .record({
    level: fc.constantFrom(...levels),
    words,
    facts: maybe(words),
    cause: maybe(fc.constantFrom(...causes)),
    reason: maybe(words),
    since: maybe(time),
    lastAt: maybe(time),
  })
  .map((fields) => {
    const known = Object.entries(fields).filter(([, value]) => value !== undefined);
    return Object.fromEntries(known) as WorkloadStatus; // the same fields, without the unknown ones
  });
const name = fc.oneof(fc.stringMatching(/^[a-z][a-z0-9-]{0,252}$/u), fc.string({ minLength: 1, maxLength: 300 }));

test("the verdict has the mark, the name and the state in at most 80 characters", () => {
  fc.assert(
    fc.property(name, status, maybe(words), (called, how, verdict) => {
      const head = { name: called, status: how, now, verdict };
      const [first = ""] = plainTextOf([headLines(head)]).split("\n");

      expect(first.length).toBeLessThanOrEqual(MOST);
      expect(first.startsWith(`${dotOf(how)} `)).toBe(true);
      expect(headText(head).startsWith(first.trimEnd())).toBe(true);
    }),
  );
});

test("nothing is said of a time that isn't known", () => {
  fc.assert(
    fc.property(name, status, (called, { since: _since, lastAt: _lastAt, ...how }) => {
      const said = plainTextOf([headLines({ name: called, status: { ...how, words: "odd" }, now, verdict: "is odd" })]);

      expect(said).not.toMatch(/\b(?:for|ago)\b/u);
    }),
  );
});

test("a short reason in a name or in a longer word is not said", () => {
  const failing = { level: "failing", words: "failing", reason: "exit 10: lost its database" } as const; // a literal level
  const head = { name: "db-1", status: failing, now };

  expect(plainTextOf([headLines(head)])).toBe("🔴 db-1 · failing: exit 10");
  expect(["1", "db", "db-1", "exit 1", "fail", "exit"].filter((text) => isInVerdict(text, head))).toEqual([]);
  expect(["exit 10", "failing", "failing: exit 10"].filter((text) => !isInVerdict(text, head))).toEqual([]);
});

test.each([
  [{ words: "failed", since: "2026-11-21T03:00:00Z" }, "is odd", "Failed 9h ago"],
  [{ words: "failing", since: "2026-11-21T10:00:00Z" }, "is odd", "For 2h"],
  [{ words: "keeps crashing", facts: "6 restarts in 4 min" }, "keeps crashing: lost", "6 restarts in 4 min"],
])("below a verdict, %j is told in words that read on their own", (how, verdict, expected) => {
  const status = { level: "failing", ...how } as const; // a literal level

  expect(plainTextOf([headLines({ name: "web", status, now, verdict })])).toBe(`🔴 web ${verdict}\n${expected}`);
});

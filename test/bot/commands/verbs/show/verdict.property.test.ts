import fc from "fast-check";
import { expect, test } from "vitest";
import { causes } from "../../../../../src/api/cause.ts";
import { levels, type WorkloadStatus } from "../../../../../src/api/workload-status.ts";
import { headLines, headText, MOST } from "../../../../../src/bot/commands/verbs/show/verdict.ts";
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

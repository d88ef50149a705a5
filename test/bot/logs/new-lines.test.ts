import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newLines, nothingSeen } from "../../../src/bot/logs/new-lines.ts";

function windowOf(texts: readonly string[], size = 200): { text: string }[] {
  return texts.slice(-size).map((text) => ({ text }));
}

/** What is new in the second window, after the first was seen. */
function between(first: readonly string[], second: readonly string[], size = 200): string[] | "gap" {
  const { seen } = newLines(nothingSeen, windowOf(first, size));
  const window = windowOf(second, size);
  const { start, hasGap } = newLines(seen, window);
  return hasGap ? "gap" : window.slice(start).map(({ text }) => text);
}

const live = "[gantry] it is read live from Kubernetes: lines of pods that are gone can't be read";

describe("what is new in a log", () => {
  test.each([
    ["what came after the last line", ["a", "b"], ["a", "b", "c", "d"], ["c", "d"]],
    ["nothing", ["a", "b"], ["a", "b"], []],
    ["everything in a log that was empty", [], ["a"], ["a"]],
    ["one more of equal lines", ["x", "x"], ["x", "x", "x"], []],
    ["equal lines after another one", ["a", "x"], ["a", "x", "x"], ["x"]],
    ["nothing when older lines were dropped", ["a", "b", "c"], ["b", "c"], []],
    ["what came although older lines were dropped", ["a", "b", "c"], ["b", "c", "d"], ["d"]],
    ["what came before a note that stays at the end", ["a", live], ["a", "b", live], ["b", live]],
    ["nothing when the log was emptied", ["a"], [], []],
  ])("is %s", (_, first, second, expected) => {
    expect(between(first, second)).toEqual(expected);
  });

  test("isn't known when nothing of what was seen is left", () => {
    expect(between(["a", "b"], ["c", "d"])).toBe("gap");
    expect(
      between(
        Array.from({ length: 300 }, (_, at) => `${at}`),
        Array.from({ length: 900 }, (_, at) => `${at}`),
      ),
    ).toBe("gap");
  });

  test("of two instances' equal lines is known apart", () => {
    const { seen } = newLines(nothingSeen, [{ instance: "a", text: "x" }]);

    expect(
      newLines(seen, [
        { instance: "a", text: "x" },
        { instance: "b", text: "x" },
      ]).start,
    ).toBe(1);
  });

  test("never comes twice, and is never lost when lines differ, whatever the windows are", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 30 }),
        fc.integer({ min: 1, max: 80 }),
        (arrivals, size) => {
          const log: string[] = [];
          const told: string[] = [];
          let seen = nothingSeen;
          let gaps = 0;
          for (const count of arrivals) {
            for (let left = count; left > 0; left -= 1) log.push(`line ${log.length}`);
            const window = windowOf(log, size);
            const found = newLines(seen, window);
            gaps += found.hasGap ? 1 : 0;
            told.push(...window.slice(found.start).map(({ text }) => text));
            seen = found.seen;
          }
          expect(new Set(told).size).toBe(told.length);
          const isLossy = arrivals.some((count) => count >= size);
          if (!isLossy) expect([told, gaps]).toEqual([log, 0]);
        },
      ),
    );
  });

  test("of lines of few kinds never comes more often than it was written", () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.constantFrom("x", "y"), { maxLength: 6 }), { maxLength: 20 }), (arrivals) => {
        const log: string[] = [];
        let told = 0;
        let seen = nothingSeen;
        for (const lines of arrivals) {
          log.push(...lines);
          const window = windowOf(log, 10);
          const found = newLines(seen, window);
          told += window.length - found.start;
          seen = found.seen;
        }
        expect(told).toBeLessThanOrEqual(log.length);
      }),
    );
  });
});

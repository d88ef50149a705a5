import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Doubt, newLines, nothingSeen } from "../../../src/bot/logs/new-lines.ts";

function windowOf(texts: readonly string[], size = 200): { text: string }[] {
  return texts.slice(-size).map((text) => ({ text }));
}

/** What is new in the last of these windows, after the others were seen, and why lines may be missing. */
function after(windows: readonly (readonly string[])[], size = 200): { lines: string[]; doubt?: Doubt } {
  let seen = nothingSeen;
  let found = { lines: [] as string[], doubt: undefined as Doubt | undefined }; // none was seen
  for (const texts of windows) {
    const { window, start, doubt, ...next } = newLines(seen, windowOf(texts, size), size);
    found = { lines: window.slice(start).map(({ text }) => text), doubt };
    ({ seen } = next);
  }
  return { lines: found.lines, ...(found.doubt && { doubt: found.doubt }) };
}

const live = "[gantry] lines of web-2 are missing: Kubernetes took too long to send them";
const older = "[gantry] older lines of 2026-11-22 can be missing: Kubernetes keeps only the newest lines";

/** `a 1`, `a 2`, … */
const many = (count: number, name = "a"): string[] => Array.from({ length: count }, (_, at) => `${name} ${at + 1}`);
const same = (count: number): string[] => Array.from({ length: count }, () => "x");

describe("what is new in a log", () => {
  test.each<[string, readonly (readonly string[])[], readonly string[]]>([
    [
      "what came after the last line",
      [
        ["a", "b"],
        ["a", "b", "c", "d"],
      ],
      ["c", "d"],
    ],
    [
      "nothing",
      [
        ["a", "b"],
        ["a", "b"],
      ],
      [],
    ],
    ["everything in a log that was empty", [[], ["a"]], ["a"]],
    ["one more of equal lines, where the log is read whole", [same(2), same(3)], ["x"]],
    ["so many more of equal lines as there are", [same(120), same(170)], same(50)],
    [
      "equal lines after another one",
      [
        ["a", "x"],
        ["a", "x", "x"],
      ],
      ["x"],
    ],
    ["the same lines again, as of a program that crashes again", [many(9), [...many(9), ...many(9)]], many(9)],
    ["nothing when older lines were dropped", [many(9), many(9).slice(2)], []],
    ["what came although older lines were dropped", [many(9), [...many(9).slice(2), "b"]], ["b"]],
    [
      "what came before a note that stays at the end",
      [
        ["a", live],
        ["a", "b", live],
      ],
      ["b"],
    ],
    ["a note that is new", [["a"], ["a", live]], [live]],
    [
      "nothing when the log says that older lines went, with the few that are left",
      [
        ["a", "a"],
        [older, "a"],
      ],
      [],
    ],
    [
      "what the next run of a crashing program says, after the one before the last was forgotten",
      [
        ["a", "a"],
        [older, "a"],
        [older, "a", "a"],
      ],
      ["a"],
    ],
    ["what came after a note that older lines went", [["a"], [older, "a", "b"]], ["b"]],
    ["nothing when the log was emptied", [["a"], []], []],
    [
      "a line that is late, among those that were seen",
      [many(9), [...many(5), "late", ...many(9).slice(5), "b"]],
      ["late", "b"],
    ],
    [
      "what came in a window of equal lines that begins with others",
      [
        [...many(9), ...same(190)],
        [...many(9).slice(4), ...same(195)],
      ],
      same(5),
    ],
  ])("is %s", (_, windows, expected) => {
    expect(after(windows)).toEqual({ lines: expected });
  });

  test.each<[string, readonly (readonly string[])[], Doubt, readonly string[]]>([
    ["more came than a window has", [many(300), many(900)], "gap", many(900).slice(-200)],
    ["more came in a new day than a window has", [[], many(900)], "gap", many(900).slice(-200)],
    [
      "the log is another one",
      [
        ["a", "b"],
        ["c", "d"],
      ],
      "replaced",
      ["c", "d"],
    ],
    [
      "the log is another one that begins like the one before",
      [
        ["a", "b", "a"],
        ["a", "b"],
      ],
      "replaced",
      ["a", "b"],
    ],
    [
      "few lines of a rotated log are left, and may be new ones",
      [
        [...many(9), "x", "x"],
        ["x", "x"],
      ],
      "replaced",
      ["x", "x"],
    ],
    ["a rotated log repeats what it said", [[...many(6), ...many(6)], many(6)], "replaced", many(6)],
    ["a rotated log repeats much of what it said", [[...many(50), ...many(50)], many(50)], "replaced", []],
    [
      "more came, and it begins like what was seen",
      [
        [...many(100), ...many(100)],
        [...many(100), ...many(100, "b")],
      ],
      "gap",
      many(100, "b"),
    ],
    ["the log was emptied, and its lines are there again", [many(9), [], [...many(9), "b"]], "replaced", ["b"]],
    ["the newest lines are alike", [same(300), same(301)], "alike", []],
  ])("isn't certain when %s", (_, windows, doubt, lines) => {
    expect(after(windows)).toEqual({ lines, doubt });
  });

  test("of two instances' equal lines is known apart", () => {
    const [one, other] = [
      { instance: "a", text: "x" },
      { instance: "b", text: "x" },
    ];
    const { seen } = newLines(nothingSeen, [one], 200);

    expect(newLines(seen, [other, one], 200).doubt).toBe("replaced");
    expect(newLines(seen, [one, other], 200).start).toBe(1);
  });

  test("is known although an instance is gone that wrote between the lines of another", () => {
    const of = (instance: string, texts: readonly string[]) => texts.map((text) => ({ instance, text }));
    const both = many(9).flatMap((text) => [...of("web-1", [text]), ...of("web-2", [text])]);
    const { seen } = newLines(nothingSeen, both, 200);
    const left = [...of("web-2", [...many(9), "b"]), ...of("web-3", ["started"])];

    expect(newLines(seen, left, 200)).toMatchObject({ start: 9, doubt: undefined });
    expect(newLines(seen, of("web-3", ["started"]), 200)).toMatchObject({ start: 0, doubt: undefined });
  });

  test("is uncertain of an instance that has the name of one before it, and says the same", () => {
    const of = (texts: readonly string[]) => texts.map((text) => ({ instance: "db-0", text }));
    const { seen } = newLines(nothingSeen, of([...many(6), "ready", "served"]), 200);

    expect(newLines(seen, of(many(6)), 200)).toMatchObject({ start: 0, doubt: "replaced" });
  });

  test("never comes twice, and is never lost when lines differ, whatever the windows are", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 30 }),
        fc.integer({ min: 10, max: 80 }),
        (arrivals, size) => {
          const log: string[] = [];
          const told: string[] = [];
          let seen = nothingSeen;
          let doubts = 0;
          for (const count of arrivals) {
            for (let left = count; left > 0; left -= 1) log.push(`line ${log.length}`);
            const found = newLines(seen, windowOf(log, size), size);
            doubts += found.doubt === undefined ? 0 : 1;
            told.push(...found.window.slice(found.start).map(({ text }) => text));
            ({ seen } = found);
          }
          expect(new Set(told).size).toBe(told.length);
          // Fewer lines in common are taken for chance.
          const isLossy = arrivals.some((count) => count > size - 5);
          if (!isLossy) expect([told, doubts]).toEqual([log, 0]);
        },
      ),
    );
  });
});

import { redact } from "../../../src/bot/logs/redact.ts";
import { expect, test } from "vitest";
import { entriesOf } from "../../../src/bot/logs/entries.ts";
import { newestPage } from "../../../src/bot/views/kit/log-text.ts";

/** The lines of each entry, separated by bars. */
function entries(...lines: readonly string[]): string[] {
  const records = lines.map((line) => {
    const [instance = "", text = ""] = line.split("│");
    return line.includes("│") ? { instance, text: redact(text) } : { text: redact(line) };
  });
  return entriesOf(records, Date.parse(at)).map((entry) => entry.lines.map((line) => line.trim()).join("|"));
}

const at = "2026-11-21T12:00:00Z";

test.each<[string, readonly string[], readonly string[]]>([
  [
    "of Node.js",
    ["Error: boom", "    at run (a.js:1)", "    at main (a.js:9)", "next"],
    ["Error: boom|at run (a.js:1)|at main (a.js:9)", "next"],
  ],
  [
    "of Java",
    [`${at} ERROR no`, "java.lang.Error: x", "\tat a.B", "Caused by: y", `${at} INFO ok`],
    [`${at} ERROR no|java.lang.Error: x|at a.B|Caused by: y`, `${at} INFO ok`],
  ],
  [
    "of Python",
    ["Traceback (most recent call last):", '  File "a"', "ValueError: bad", "next"],
    ['Traceback (most recent call last):|File "a"|ValueError: bad', "next"],
  ],
  ["of a program without any", ["one", "two"], ["one", "two"]],
  ["of a program without any, half of whose lines have a time", [`${at} one`, "two"], [`${at} one`, "two"]],
  ["whose beginning is on an older page", ["    at lost (a.js:1)", "one"], ["one"]],
  [
    "of two instances at once",
    ["a│Error: boom", "b│ok", "a│    at run", "b│Error: other"],
    ["Error: boom|at run", "ok", "Error: other"],
  ],
  ["within one record", ["Error: boom\n    at run", "next"], ["Error: boom|at run", "next"]],
])("a stack trace %s belongs to its first line", (_of, lines, expected) => {
  expect(entries(...lines)).toEqual(expected);
});

test("a page begins at the beginning of an entry", () => {
  const stack = Array.from({ length: 100 }, (_, frame) => `web-1 │     at frame${frame} ${"x".repeat(40)}`);
  const texts = ["web-1 │ Error: old", ...stack, "web-1 │ Error: new", "web-1 │     at run"];

  expect(newestPage(texts)).toEqual({ text: "web-1 │ Error: new\nweb-1 │     at run", lines: 2 });
});

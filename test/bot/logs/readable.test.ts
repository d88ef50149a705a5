import { describe, expect, test } from "vitest";
import { makeExcerpt } from "../../../src/bot/logs/excerpt.ts";
import { compileGrep } from "../../../src/bot/logs/grep.ts";
import { readableLine } from "../../../src/bot/logs/readable.ts";

const page = { from: 0, size: 100, isReadable: true };

function shown(texts: readonly string[], more: object = {}): string[] {
  return makeExcerpt({ ...page, ...more, lines: texts.map((text) => ({ text })) }).lines.map(({ text }) => text);
}

describe("a line in JSON", () => {
  test.each([
    [
      '{"level":"error","msg":"payment failed","time":"2026-11-20T14:03:05.123Z","order":77}',
      "14:03:05Z ERROR payment failed order=77",
    ],
    ['{"level":30,"time":1795183385123,"pid":1,"msg":"listening"}', "14:03:05Z INFO listening pid=1"],
    ['{"severity":"WARNING","message":"slow","ts":1795183385.5}', "14:03:05Z WARNING slow"],
    ['{"@timestamp":"2026-11-20T16:03:05+02:00","log.level":"info","message":"hi there"}', "14:03:05Z INFO hi there"],
    ['{"time":"2026-11-20 14:03:05,123","msg":"no zone"}', "14:03:05 no zone"],
    ['{"msg":"x","who":"a b","empty":"","deep":{"a":[1,null]}}', 'x who="a b" empty="" deep={"a":[1,null]}'],
    ['{"msg":"big","id":12345678901234567890}', "big id=12345678901234567890"],
    ['{"msg":"crash","stack":"Error: x\\n  at y"}', "crash\nError: x\n  at y"],
    ['{"level":"info","time":"noon"}', "INFO time=noon"],
  ])("%s", (written, expected) => {
    expect(readableLine(written)).toBe(expected);
  });

  test.each([
    ["not JSON", "GET / 200"],
    ["data", '{"a":1}'],
    ["a list", '["msg"]'],
    ["half of one", '{"msg":"x"'],
    ["two", '{"msg":"x"} {"msg":"y"}'],
    ["nothing", "{}"],
    ["a depth that no program writes", `{"msg":"x","a":${"[".repeat(9_000)}${"]".repeat(9_000)}}`.slice(0, 17_000)],
    [
      "hundreds of fields",
      JSON.stringify({ msg: "x", ...Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, at])) }),
    ],
  ])("stays as it is when it is %s", (_, written) => {
    expect(readableLine(written)).toBeUndefined();
    expect(shown([written])).toEqual([makeExcerpt({ from: 0, size: 1, lines: [{ text: written }] }).lines[0]?.text]);
  });

  test("has no colours, no hidden characters and no line of another", () => {
    const written = JSON.stringify({ msg: "\u001b[31mred\u001b[0m\u202etxt\u0007", level: "info" });

    expect(shown([written])).toEqual(["INFO redtxt␇"]);
  });

  test("is found by what is shown and by what was written", () => {
    const written = '{"level":"error","msg":"no space","code":28}';

    for (const expression of ["ERROR no space", '"code":28', "code=28"]) {
      expect(shown([written, "other"], { grep: compileGrep(expression) })).toEqual(["ERROR no space code=28"]);
    }
  });

  test("is kept as it was written, for files", () => {
    const excerpt = makeExcerpt({ ...page, lines: [{ text: '{"msg":"a","password":"hunter2hunter"}' }] });

    expect(excerpt.lines.map(({ text }) => text)).toEqual(["a password=[redacted]"]);
    expect(excerpt.written?.map(({ text }) => text)).toEqual(['{"msg":"a","password":"[redacted]"}']);
  });
});

describe("lines that repeat", () => {
  test.each([
    ["equal ones", ["ping", "ping", "ping", "pong"], ["ping (×3)", "pong"]],
    [
      "those that differ in their time",
      ["2026-11-20T14:03:05Z ping", "2026-11-20T14:03:06Z ping", "2026-11-20T14:04:09Z ping"],
      ["2026-11-20T14:03:05Z ping (×3 until 14:04:09Z)"],
    ],
    [
      "those in JSON",
      ['{"time":"2026-11-20T14:03:05Z","msg":"ping"}', '{"time":"2026-11-20T14:03:06Z","msg":"ping"}'],
      ["14:03:05Z ping (×2 until 14:03:06Z)"],
    ],
    ["not those apart from each other", ["ping", "pong", "ping"], ["ping", "pong", "ping"]],
    ["not those that differ in a number", ["GET /1", "GET /2"], ["GET /1", "GET /2"]],
    [
      "not those that differ in a date they are about",
      ["license ends 2026-08-01 00:00:00", "license ends 2027-08-01 00:00:00"],
      ["license ends 2026-08-01 00:00:00", "license ends 2027-08-01 00:00:00"],
    ],
    [
      "not those that differ in a field which isn't their time",
      ["at=1 start time=1795176005", "at=1 start time=1795176006"].map((line) => `GET ${line}`),
      ["GET at=1 start time=1795176005", "GET at=1 start time=1795176006"],
    ],
  ])("are one with a count: %s", (_, texts, expected) => {
    expect(shown(texts)).toEqual(expected);
  });

  test("are not told as the same when they differ in what isn't shown", () => {
    const long = "word ".repeat(500);
    const texts = shown([`${long} one`, `${long} two`]);

    expect(texts).toHaveLength(2);
    expect(texts.join("\n")).not.toContain("×");
    expect(shown([`${long} one`, `${long} one`])).toHaveLength(1);
  });

  test("of two instances stay apart", () => {
    const lines = ["a", "a", "b"].map((instance) => ({ instance, text: "ping" }));

    expect(makeExcerpt({ ...page, lines }).lines).toEqual([
      { instance: "a", text: "ping (×2)", match: false, count: 2 },
      { instance: "b", text: "ping", match: false },
    ]);
  });

  test("are counted as records, and kept each by itself", () => {
    const excerpt = makeExcerpt({ ...page, lines: ["x", "x", "y"].map((text) => ({ text })) });

    expect(excerpt.read).toBe(3);
    expect(excerpt.written?.map(({ text }) => text)).toEqual(["x", "x", "y"]);
  });
});

describe("lines around a match", () => {
  const lines = Array.from({ length: 20 }, (_, at) => ({ text: `line ${at}`, instance: at % 2 === 0 ? "a" : "b" }));

  test("are those before and after it of its instance", () => {
    const excerpt = makeExcerpt({ ...page, lines, grep: compileGrep("line (4|14)$"), context: 1 });

    expect(excerpt.matched).toBe(2);
    expect(excerpt.lines.map(({ text, match, isAfterGap = false }) => [text, match, isAfterGap])).toEqual([
      ["line 2", false, false],
      ["line 4", true, true],
      ["line 6", false, true],
      ["line 12", false, true],
      ["line 14", true, true],
      ["line 16", false, true],
    ]);
  });

  test("of matches near each other come once", () => {
    const own = lines.map(({ text }) => ({ text }));
    const excerpt = makeExcerpt({ ...page, lines: own, grep: compileGrep("line (4|6)$"), context: 2 });

    expect(excerpt.lines.map(({ text }) => text)).toEqual([2, 3, 4, 5, 6, 7, 8].map((at) => `line ${at}`));
    expect(excerpt.lines.some(({ isAfterGap }) => isAfterGap)).toBe(false);
  });
});

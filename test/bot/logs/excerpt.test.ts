import { describe, expect, test } from "vitest";
import { boundRecords, makeExcerpt } from "../../../src/bot/logs/excerpt.ts";
import { compileGrep } from "../../../src/bot/logs/grep.ts";

const page = { from: 0, size: 100 };

test("lines keep their order and their instance", () => {
  const excerpt = makeExcerpt({ ...page, lines: [{ instance: "web-0", text: "one\n" }, { text: "two" }] });

  expect(excerpt).toEqual({
    lines: [
      { instance: "web-0", text: "one", match: false },
      { text: "two", match: false },
    ],
    read: 2,
    matched: undefined,
    from: 0,
    size: 100,
    mayHaveOlder: false,
    instance: undefined,
    overlap: 0,
  });
});

test.each([
  [0, false],
  [99, false],
  [100, true],
])("of %i records for 100 there may be older ones: %s", (count, expected) => {
  const lines = Array.from({ length: count }, () => ({ text: "x" }));

  expect(makeExcerpt({ ...page, lines }).mayHaveOlder).toBe(expected);
});

describe("a progress bar shows its last state", () => {
  const ESC = "\u001b";
  test.each([
    ["written over from the start", "10%\r20%\r100% done\r", "100% done"],
    ["erased before", `10%${ESC}[2K${ESC}[1G55%${ESC}[0K`, "55%"],
    ["moved back over", "|\b/\b-\b\\ 7", "\\ 7"],
    ["above another line", "1 of 2\r2 of 2\r\nready", "2 of 2\nready"],
    ["moved up to", `${ESC}[1A${ESC}[2Kstep 2`, "step 2"],
  ])("%s", (_, text, expected) => {
    expect(makeExcerpt({ ...page, lines: [{ text }] }).lines.map((line) => line.text)).toEqual([expected]);
  });

  test("however long it went on", () => {
    const text = `${Array.from({ length: 20_000 }, (_, at) => `${at} of 20000 [=====>   ]`).join("\r")}\rdone`;
    const lines = boundRecords(Array.from({ length: 1_000 }, () => ({ text })));

    expect(makeExcerpt({ ...page, lines: lines.slice(0, 1) }).lines[0]?.text).toBe("done");
    expect(lines[0]?.text.length).toBeLessThan(5_000);
  });

  test("and no secret whose name was written over", () => {
    const lines = [{ text: "password=\rhunter2-hunter2" }];

    expect(makeExcerpt({ ...page, lines }).lines[0]?.text).not.toContain("hunter2");
  });
});

test("an expression keeps the records that match, and counts them", () => {
  const lines = ["GET / 200", "GET / 503", "POST / 503"].map((text) => ({ text }));

  const excerpt = makeExcerpt({ ...page, lines, grep: compileGrep("503") });

  expect(excerpt.lines.map(({ text }) => text)).toEqual(["GET / 503", "POST / 503"]);
  expect([excerpt.read, excerpt.matched, excerpt.lines.every(({ match }) => match)]).toEqual([3, 2, true]);
});

test("an expression cannot find out a secret", () => {
  const lines = [{ text: "password=hunter2" }];

  const guesses = ["hunter2", "^password=h", "password=.{7}$"].map((guess) =>
    makeExcerpt({ ...page, lines, grep: compileGrep(guess) }),
  );

  expect(guesses.map(({ matched }) => matched)).toEqual([0, 0, 0]);
});

test("the lines of an instance are also those of what took its place, and of no other", () => {
  const instances = ["web-0", "web-0-g1", "web-0-g12", "web-0-green", "web-01", "web-1-g1"];
  const lines = instances.map((instance) => ({ instance, text: instance }));

  const excerpt = makeExcerpt({ ...page, lines, instance: "web-0" });
  const newest = makeExcerpt({ ...page, lines, instance: "web-0-g12" });

  expect(excerpt.lines.map(({ text }) => text)).toEqual(["web-0", "web-0-g1", "web-0-g12"]);
  expect(newest.lines.map(({ text }) => text)).toEqual(["web-0-g12"]);
});

test("only the lines of one instance, and those that name none", () => {
  const lines = [{ instance: "web-0", text: "a" }, { instance: "web-1", text: "b" }, { text: "c" }];

  const excerpt = makeExcerpt({ ...page, lines, instance: "web-1" });

  expect(excerpt.lines.map(({ text }) => text)).toEqual(["b", "c"]);
  expect(excerpt.read).toBe(2);
});

describe("secrets", () => {
  test("a key between the lines of another instance is hidden whole", () => {
    const lines = [
      { instance: "web-0", text: "-----BEGIN PRIVATE KEY-----" },
      { instance: "web-1", text: "ordinary" },
      { instance: "web-0", text: "MHcCAQEE" },
      { instance: "web-0", text: "-----END PRIVATE KEY-----" },
      { instance: "web-0", text: "after" },
    ];

    const excerpt = makeExcerpt({ ...page, lines });

    expect(excerpt.lines.map(({ text }) => text)).toEqual([
      "[redacted]",
      "ordinary",
      "[redacted]",
      "[redacted]",
      "after",
    ]);
  });

  test("colours and invisible characters do not save them", () => {
    const lines = [{ text: "pass\u200bword: \u001b[1mhun\u001b[0mter2" }];

    expect(makeExcerpt({ ...page, lines }).lines[0]?.text).toBe("password: [redacted]");
  });

  test("nor does the cut of a long line", () => {
    const secret = ["ghp", "a1B2".repeat(9)].join("_");
    const starts = [1990, 16_370].map((length) => `${"x ".repeat(length / 2)}${secret}`);

    const texts = starts.map((text) => makeExcerpt({ ...page, lines: [{ text }] }).lines[0]?.text ?? "");

    expect(texts.map((text) => text.includes("ghp"))).toEqual([false, false]);
  });
});

test("half a secret at the end of what is read of a line is not shown, also when little is left of the line", () => {
  const secret = ["ghp", "a1B2".repeat(9)].join("_");
  // Colours go, so that the end of what is read comes near the beginning of what is shown.
  const colours = "\u001b[0m".repeat(4_000);
  const lines = [5, 12, 18].map((shown) => ({
    text: `${colours}${"word ".repeat(70)}${" ".repeat(384 - 350 - shown)}${secret} and more`,
  }));

  const texts = makeExcerpt({ ...page, lines }).lines.map(({ text }) => text);

  expect(texts.map((text) => /ghp|a1B2/u.test(text))).toEqual([false, false, false]);
});

test("with many records less of each is read, and a secret cut in two by that is not shown either", () => {
  const secret = ["ghp", "a1B2".repeat(9)].join("_");
  const text = `${"\u001b[0m".repeat(1_040)}${" word".repeat(5)} ${secret} and more`;

  const { lines } = makeExcerpt({ ...page, lines: Array.from({ length: 1_000 }, () => ({ text })) });

  expect(lines[999]?.text).not.toMatch(/ghp|a1B2/u);
});

test("long lines are cut, with a mark", () => {
  const excerpt = makeExcerpt({ ...page, lines: [{ text: "word ".repeat(1000) }] });

  expect(excerpt.lines[0]?.text).toHaveLength(2000 + "… (cut)".length);
  expect(excerpt.lines[0]?.text.endsWith("… (cut)")).toBe(true);
});

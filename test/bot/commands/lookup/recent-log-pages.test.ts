import { expect, test } from "vitest";
import { createRecentLogPages } from "../../../../src/bot/commands/lookup/directory.ts";

const lines = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`);

test("a page that follows the one before it without new lines overlaps nothing", () => {
  const pages = createRecentLogPages();
  pages.overlap({ log: "web", from: 0, lines: lines(11, 20) });

  expect(pages.overlap({ log: "web", from: 10, lines: lines(1, 10) })).toBe(0);
});

test("lines that arrived meanwhile shift the next page, and that is noticed", () => {
  const pages = createRecentLogPages();
  pages.overlap({ log: "web", from: 0, lines: lines(11, 20) });

  // Three lines arrived, so the records 10 to 19 from the newest are lines 4 to 13 now.
  expect(pages.overlap({ log: "web", from: 10, lines: lines(4, 13) })).toBe(3);
});

test("a jump, another log, and the first page are not compared", () => {
  const pages = createRecentLogPages();
  pages.overlap({ log: "web", from: 0, lines: lines(11, 20) });

  expect(pages.overlap({ log: "worker", from: 10, lines: lines(4, 13) })).toBe(0);
  expect(pages.overlap({ log: "web", from: 0, lines: lines(11, 20) })).toBe(0);
  expect(pages.overlap({ log: "web", from: 50, lines: lines(11, 20) })).toBe(0);
});

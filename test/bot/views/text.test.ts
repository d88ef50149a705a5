import { describe, expect, test } from "vitest";
import { requestButton } from "../../../src/bot/views/kit/ask-buttons.ts";
import { actions, type Block, preformatted } from "../../../src/bot/views/kit/blocks.ts";
import { logPages } from "../../../src/bot/views/kit/log-text.ts";
import { post } from "../../../src/bot/views/kit/post.ts";
import { code, strong, words } from "../../../src/bot/views/kit/inline.ts";
import { diffList } from "../../../src/bot/views/cards/diff.ts";
import { drawn } from "./support/drawn.ts";
import {
  escape,
  escapeWithin,
  grouped,
  plain,
  truncate,
  truncateMiddle,
  visible,
} from "../../../src/bot/views/kit/text.ts";
import { age, between } from "../../../src/bot/views/kit/time.ts";
import { now } from "./support/workloads.ts";

test.each([
  ["short", 10, "short"],
  ["exactly ten", 11, "exactly ten"],
  ["exactly ten", 10, "exactly t…"],
  ["ab😀cd", 4, "ab…"],
  ["a👨‍👩‍👧‍👦b", 6, "a…"],
  ["cafe\u0301x", 5, "caf…"],
  ["x", 0, "…"],
])("%j cut at %i is %j", (text, max, expected) => {
  expect(truncate(text, max)).toBe(expected);
});

test.each([
  ["a\nb\tc\u0000", "a␊b␉c␀"],
  ["abc\u202edcba", "abc\ufffddcba"],
  ["we\u200bb", "we\ufffdb"],
  ["👩‍🚀", "👩‍🚀"],
  ["a\u200db", "a\ufffdb"],
  ["\ud83d", "\ufffd"],
  [undefined, ""],
  [3, "3"],
])("%j is seen as %j", (text, expected) => {
  expect(visible(text)).toBe(expected);
});

test("what Slack would parse is escaped", () => {
  const text = escape("<!channel> & <@U1> @channel @Here a@b");

  expect(text).toBe("&lt;!channel&gt; &amp; &lt;@U1&gt; @\u2060channel @\u2060Here a@b");
});

test("escaped text is cut between its entities", () => {
  expect(escapeWithin("&".repeat(100), 50)).toBe(`${"&amp;".repeat(9)}…`);
});

test.each([
  [7, "7"],
  [1000, "1,000"],
  [1234567, "1,234,567"],
])("%i is grouped as %s", (count, expected) => {
  expect(grouped(count)).toBe(expected);
});

test.each([
  ["2026-11-21T11:59:18Z", "42s"],
  ["2026-11-21T11:55:00Z", "5m"],
  ["2026-11-21T02:00:00Z", "10h"],
  ["2026-11-01T12:00:00Z", "20d"],
  ["2026-11-21T12:00:05Z", "0s"],
  ["never", undefined],
  [undefined, undefined],
])("made at %s is %s old", (moment, expected) => {
  expect(age(moment, now)).toBe(expected);
});

test("a time that ends before it begins is not told", () => {
  expect(between("2026-11-21T12:00:00Z", "2026-11-21T11:00:00Z")).toBeUndefined();
});

describe("one message", () => {
  test("with too many blocks says that there is more", () => {
    const { blocks } = post(
      "text",
      Array.from({ length: 60 }, () => preformatted("x")),
    );

    expect(blocks).toHaveLength(50);
    expect(JSON.stringify(blocks.at(-1))).toContain("The rest doesn't fit");
  });

  test("with too much text keeps the first blocks", () => {
    const { blocks } = post(
      "text",
      Array.from({ length: 4 }, () => preformatted('"'.repeat(4000))),
    );

    expect(blocks.map(({ type }) => type)).toEqual(["rich_text", "context"]);
  });

  test("with too much text keeps its buttons, but none of an entry that is left out", () => {
    const long = preformatted('"'.repeat(4000));
    const row = actions(requestButton("approve", "7KQ2MD"));
    const types = (blocks: readonly Block[]) => post("text", blocks).blocks.map(({ type }) => type);

    expect(types([long, long, ...row])).toEqual(["rich_text", "context", "actions"]);
    expect(types([long, ...row, long, ...row])).toEqual(["rich_text", "actions", "context"]);
  });

  test("is never without a text", () => {
    expect(post(" \n", []).text).toBe("Gantry");
  });
});

test("a line longer than a page is cut over pages, and nothing is lost", () => {
  const texts = ["first", "😀".repeat(5000), "last"];

  const pages = logPages(texts);

  expect(pages.map(({ lines }) => lines)).toEqual([1, 1, 0, 1]);
  expect(pages.every(({ text }) => text.length <= 4000 && text.isWellFormed())).toBe(true);
  expect(
    pages
      .map(({ text }) => text)
      .join("")
      .replaceAll("\n", ""),
  ).toBe(texts.join(""));
});

test.each([
  ["web", 10, "web"],
  ["checkout-eu1-v2", 15, "checkout-eu1-v2"],
  ["checkout-in-europe-v2.4", 15, "checkou…pe-v2.4"],
  ["aaaa👨‍👩‍👧bbbb", 9, "aaaa…bbbb"],
])("a name keeps both of its ends: %s in %d is %s", (text, max, expected) => {
  expect(truncateMiddle(text, max)).toBe(expected);
});

describe("the digest of an image", () => {
  const digest = `sha256:${"3f2a9c1d5b6e7f80".repeat(4)}`;

  test("is short in what people read, and whole in what they copy", () => {
    const read = [words(`shop/web@${digest} → 1.5`), strong(digest), plain(`runs ${digest}`, 100)];
    expect(read.map(({ text }) => text)).toEqual([
      "shop/web@sha256:3f2a9c1d5b6e → 1.5",
      "sha256:3f2a9c1d5b6e",
      "runs sha256:3f2a9c1d5b6e",
    ]);
    expect(code(`deploy web @${digest}`).text).toBe(`deploy web @${digest}`);
  });

  test("takes its room after it was shortened", () => {
    const many = Array.from({ length: 5 }, () => `web@${digest}`).join(" ");
    expect(words(many, 120).text).toBe(Array.from({ length: 5 }, () => "web@sha256:3f2a9c1d5b6e").join(" "));
    expect(
      drawn({ text: "", blocks: diffList([`image web@${digest} → registry.example.com/a/long/name/web@${digest}`]) }),
    ).toContain("image web@sha256:3f2a9c1d5b6e → registry.example.com/a/long/name/web@sha256:3f2a9c1d5b6e");
  });
});

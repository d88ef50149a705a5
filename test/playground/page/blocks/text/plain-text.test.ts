import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type EmojiData, emojiNames } from "../../../../../src/playground/control/asset-routes.ts";
import { findEmoji, safeLink } from "../../../../../src/playground/page/blocks/plain-text.ts";

test.each(["https://x.test/a?b=1", "http://localhost:8080", "mailto:dana@x.test", "tel:+4930123"])(
  "%s may be opened",
  (url) => {
    expect(safeLink(url)).toBe(url);
  },
);

test.each([
  "javascript:alert(1)",
  " JavaScript:alert(1)",
  "data:text/html,x",
  "file:///etc/passwd",
  "blob:x",
  "/files/F1",
  "",
])("%j is never opened", (url) => {
  expect(safeLink(url)).toBeUndefined();
});

const file = fileURLToPath(import.meta.resolve("@emoji-mart/data"));
const data = JSON.parse(readFileSync(file, "utf8")) as EmojiData; // the package's own description of its file
const names = new Map(Object.entries(emojiNames(data)));

describe("emoji are known by Slack's names", () => {
  test.each([
    ["tada", "🎉"],
    ["white_check_mark", "✅"],
    ["large_green_circle", "🟢"],
    ["+1", "👍"],
    ["thumbsup", "👍"],
    ["knife", "🔪"],
    ["flag-de", "🇩🇪"],
    ["simple_smile", "🙂"],
    ["+1::skin-tone-2", "👍🏻"],
    ["thumbsup::skin-tone-6", "👍🏿"],
    ["v::skin-tone-4", "✌🏽"],
    ["tada::skin-tone-2", "🎉"],
  ])(":%s: is %s", (name, characters) => {
    expect(findEmoji(names, name)).toBe(characters);
  });

  test.each(["no_such_emoji", "no_such_emoji::skin-tone-2", "+1::skin-tone-9", "constructor", ""])(
    "%j is none",
    (name) => {
      expect(findEmoji(names, name)).toBeUndefined();
    },
  );
});

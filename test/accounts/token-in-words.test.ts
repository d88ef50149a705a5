import { expect, test } from "vitest";
import { looksLikeToken } from "../../src/accounts/token-in-words.ts";

test.each([
  [[], false],
  [["channel"], false],
  [["channel", "--share"], false],
  [["--break-glass"], false],
  [["s3cr3t-token"], true],
  [["channel", "s3cr3t"], true],
  [["hunter"], true],
  [["--token", "abc"], true],
  [["--token=abc"], true],
  [["--abcdefghijklmnopqrstuvwxyz"], true],
  [["--A1b2C3"], true],
  [["--"], true],
  [["-"], true],
  [[""], true],
])("words after connect: %j may hold a token: %s", (words, isToken) => {
  expect(looksLikeToken(words)).toBe(isToken);
});

import { expect, test } from "vitest";
import { cleanLine } from "../../../src/bot/logs/clean-line.ts";

const ESC = "\u001b";

test.each([
  ["colours go", `${ESC}[1;31merror${ESC}[0m in ${ESC}[38:5:196mweb${ESC}[m`, "error in web"],
  [
    "cursor moves and titles go",
    `${ESC}[2K${ESC}]0;title\u0007done${ESC}]8;;http://x${ESC}\\link${ESC}]8;;${ESC}\\`,
    "donelink",
  ],
  ["an open title hides nothing", `${ESC}]0;still here`, "␛]0;still here"],
  ["tabs and inner line breaks stay", "a\tb\r\n\tat c\n", "a\tb\n\tat c"],
  ["control characters become visible", "a\u0000b\u0007c\rd\u007f", "a␀b␇c␍d␡"],
  ["bidi and zero-width characters go", "pass\u200bword=\u202exyz\u2066", "password=xyz"],
  ["emoji stay whole", "👨‍👩‍👧‍👦 ok", "👨‍👩‍👧‍👦 ok"],
  ["half a character is a mark", "a\ud83db", "a\ufffdb"],
])("%s", (_what, record, expected) => {
  expect(cleanLine(record)).toBe(expected);
});

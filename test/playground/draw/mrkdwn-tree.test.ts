import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { drawMrkdwn, newPen } from "../../../src/playground/draw/draw.ts";
import { parseMrkdwn, type Part, type Piece, unescape } from "../../../src/playground/draw/mrkdwn-tree.ts";
import { newState } from "../../../src/playground/workspace/seeds.ts";

/** A tree as one line: b(…) i(…) s(…) c(…) for styles, [kind …] for links and mentions. */
function short(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => {
      if (piece.kind === "text") return piece.text;
      if ("inner" in piece) return `${piece.kind[0]}(${short(piece.inner)})`;
      return `[${Object.values(piece).join(" ")}]`;
    })
    .join("");
}

function shortPart(part: Part): string {
  if (part.kind === "break") return "⏎";
  if (part.kind === "quote") return `quote{${part.lines.map((line) => short(line.inner)).join("/")}}`;
  return part.kind === "pre" ? `pre{${short(part.inner)}}` : short(part.inner);
}

const read = (text: string): string => parseMrkdwn(text).map(shortPart).join("");

describe("mrkdwn is read as Slack reads it", () => {
  test.each([
    ["*bold* _italic_ ~gone~ `code`", "b(bold) i(italic) s(gone) c(code)"],
    ["*_both_*", "b(i(both))"],
    ["_*~all~*_", "i(b(s(all)))"],
    ["(*in brackets*), *end*.", "(b(in brackets)), b(end)."],
    ["a*b*c snake_case_name 2*3*4", "a*b*c snake_case_name 2*3*4"],
    ["* not bold * and *not\nbold*", "* not bold * and *not\nbold*"],
    ["*open and *closed*", "b(open and *closed)"],
    ["*open _still italic_", "*open i(still italic)"],
    ["** ~~ __ ``", "** ~~ __ ``"],
    ["`*not bold* <@U1>`", "c(*not bold* [user U1])"],
    ["*bold with `a*b` code*", "b(bold with c(a*b) code)"],
    ["*über* über*", "b(über) über*"],
    [
      "*<https://x.test/a_b_c|label>* <@U1|dana> <#C1> <!subteam^S1> <!here>",
      "b([link https://x.test/a_b_c label]) [user U1] [channel C1] [group S1] [broadcast here]",
    ],
    ["see https://x.test/_a_?b=1&amp;c=*2*.", "see [address https://x.test/_a_?b=1&c=*2]*."],
    ["(https://x.test)", "([address https://x.test])"],
    [":white_check_mark: 10:30:45", ":white_check_mark: 10:30:45"],
    ["<!date^soon^{date}|soon>", "[unknown <!date^soon^{date}> soon]"],
    ["a &lt;b&gt; &amp;amp; < c", "a <b> &amp; < c"],
    ["&gt; one\n> two\nplain", "quote{one/two}⏎plain"],
    ["before\n&gt;quoted *bold*", "before⏎quote{quoted b(bold)}"],
    ["a\n&gt;&gt;&gt; one\ntwo\n\nfour", "a⏎quote{one/two//four}"],
    ["a > b", "a > b"],
    ["look:\n```\nline *1*\nline 2\n```\nafter", "look:⏎pre{\nline *1*\nline 2\n}⏎after"],
    ["inline ```x `y` z``` end", "inline pre{x `y` z} end"],
    ["```<https://x.test> &lt;b&gt;```", "pre{[link https://x.test ] <b>}"],
    ["``` no end", "``` no end"],
    ["• one\n• two", "• one\n• two"],
    ["", ""],
  ])("%j", (text, expected) => {
    expect(read(text)).toBe(expected);
  });
});

test("whatever a message says, its text drawing loses and adds no character", () => {
  const word = fc.constantFrom(
    "*",
    "_",
    "~",
    "`",
    "```",
    ">",
    "&gt;",
    "&gt;&gt;&gt;",
    "\n",
    " ",
    "a",
    "é",
    ":x:",
    "&amp;",
    "\uFFFC",
    "<",
    "https://x.test",
  );
  const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(""));

  fc.assert(
    fc.property(
      text.filter((each) => !/<[^<>\s][^<>\n]*>/.test(each)),
      (each) => {
        expect(drawMrkdwn(newPen(newState("gantry")), each)).toBe(unescape(each));
      },
    ),
  );
});

test.each([
  "*a ".repeat(13_000),
  "`".repeat(40_000),
  "```a".repeat(10_000),
  "*_~".repeat(13_000),
  "a\n".repeat(20_000),
  ":a".repeat(20_000),
])("the longest message is parsed quickly, whatever its content", (text) => {
  const began = performance.now();

  parseMrkdwn(text);

  expect(performance.now() - began).toBeLessThan(2000);
});

import { describe, expect, test } from "vitest";
import {
  type Paragraph,
  parseMarkdown,
  type Span,
} from "../../../../../src/playground/page/blocks/text/markdown-tree.ts";

function short(spans: readonly Span[]): string {
  return spans
    .map((span) => {
      if (span.kind === "text") return span.text;
      if (span.kind === "code") return `code(${span.text})`;
      return `${span.kind === "link" ? span.url : span.kind}(${short(span.inner)})`;
    })
    .join("");
}

function shortParagraph(paragraph: Paragraph): string {
  switch (paragraph.kind) {
    case "rule":
      return "rule";
    case "code":
      return `code{${paragraph.text}}`;
    case "heading":
      return `h${paragraph.level}{${short(paragraph.spans)}}`;
    case "list":
      return `list{${paragraph.items.map((item) => `${" ".repeat(item.indent)}${item.number ?? "-"} ${short(item.spans)}`).join("/")}}`;
    default:
      return `${paragraph.kind}{${paragraph.lines.map(short).join("/")}}`;
  }
}

describe("a small part of Markdown is read, the rest is text", () => {
  test.each([
    ["# One **two**", ["h1{One bold(two)}"]],
    ["a\nb\n\nc", ["lines{a/b}", "lines{c}"]],
    [
      "*i* _j_ **b** ~~s~~ `c *d*` [l](https://x.test)",
      ["lines{italic(i) italic(j) bold(b) strike(s) code(c *d*) https://x.test(l)}"],
    ],
    ["snake_case_name 2*3*4", ["lines{snake_case_name 2*3*4}"]],
    ["- a\n  - b\n1. c\n7) d", ["list{- a/ - b/1 c/7 d}"]],
    ["> a\n> b\nc", ["quote{a/b}", "lines{c}"]],
    ["---", ["rule"]],
    ["a\n```js\nlet *x*\n\n# y\n```\nb", ["lines{a}", "code{let *x*\n\n# y}", "lines{b}"]],
    ["```\nno end", ["lines{```/no end}"]],
    ["<b>x</b> ![i](u)", ["lines{<b>x</b> !u(i)}"]],
    ["", []],
  ])("%j", (text, expected) => {
    expect(parseMarkdown(text).map(shortParagraph)).toEqual(expected);
  });
});

test.each([
  "*a ".repeat(4000),
  "`".repeat(12_000),
  "[".repeat(12_000),
  "**".repeat(6000),
  "~~a".repeat(4000),
  "_a*".repeat(4000),
  "[a](".repeat(3000),
])("the longest markdown is read in no time", (text) => {
  const began = performance.now();

  parseMarkdown(text);

  expect(performance.now() - began).toBeLessThan(2000);
});

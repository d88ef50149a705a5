import { type ComponentChild, h, type JSX } from "preact";
import { textOf } from "../../../json.ts";
import type { BlockContext, BlockProps } from "../block-context.ts";
import { link } from "./links.ts";
import { type Item, type Paragraph, parseMarkdown, type Span } from "./markdown-tree.ts";
import { plainWithEmoji } from "./text-object.ts";

const tags = { bold: "strong", italic: "em", strike: "s" } as const;

function drawSpans(context: BlockContext, spans: readonly Span[]): readonly ComponentChild[] {
  return spans.flatMap((span): readonly ComponentChild[] => {
    if (span.kind === "text") return plainWithEmoji(context, span.text);
    if (span.kind === "code") return [h("code", null, span.text)];
    const inner = drawSpans(context, span.inner);
    return [span.kind === "link" ? link(span.url, [...inner]) : h(tags[span.kind], null, ...inner)];
  });
}

function drawList(context: BlockContext, items: readonly Item[]): JSX.Element {
  const drawn = items.map(({ indent, number, spans }) => {
    const name = number === undefined ? `bullet indent-${indent}` : `indent-${indent}`;
    return h("li", { class: name, value: number }, ...drawSpans(context, spans));
  });
  return h(items[0]?.number === undefined ? "ul" : "ol", null, ...drawn);
}

function drawParagraph(context: BlockContext, paragraph: Paragraph): JSX.Element {
  switch (paragraph.kind) {
    case "rule":
      return h("hr", null);
    case "code":
      return h("pre", null, paragraph.text);
    case "heading":
      return h("div", { class: `markdown-heading level-${paragraph.level}` }, ...drawSpans(context, paragraph.spans));
    case "list":
      return drawList(context, paragraph.items);
    default: {
      const lines = paragraph.lines.map((line) => h("div", null, ...drawSpans(context, line)));
      return h(paragraph.kind === "quote" ? "blockquote" : "div", { class: "lines" }, ...lines);
    }
  }
}

/** https://docs.slack.dev/reference/block-kit/blocks/markdown-block, as far as parseMarkdown reads it */
export function Markdown({ block, context }: BlockProps): JSX.Element {
  const paragraphs = parseMarkdown(textOf(block["text"])).map((paragraph) => drawParagraph(context, paragraph));
  return h("div", { class: "markdown" }, ...paragraphs);
}

// A small, safe part of Markdown: https://docs.slack.dev/reference/block-kit/blocks/markdown-block Headings, lists,
// quotes, code and rules; within lines bold, italic, strike, code and links. Everything else is text.

export type Span =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "bold" | "italic" | "strike"; readonly inner: readonly Span[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "link"; readonly url: string; readonly inner: readonly Span[] };

export type Paragraph =
  | { readonly kind: "heading"; readonly level: number; readonly spans: readonly Span[] }
  | { readonly kind: "list"; readonly items: readonly Item[] }
  | { readonly kind: "quote" | "lines"; readonly lines: readonly (readonly Span[])[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "rule" };

/** A list item; without a number it has a bullet. */
export type Item = { readonly indent: number; readonly number?: number; readonly spans: readonly Span[] };

// The first match in the text wins; code is not parsed further.
const span =
  /`(?<code>[^`\n]+)`|\*\*(?<bold>[^\s*](?:[^*\n]*[^\s*])?)\*\*|~~(?<strike>[^~\n]+)~~|\[(?<label>[^[\]\n]+)\]\((?<url>[^()\s]+)\)|(?<![\w*])[*_](?<italic>[^\s*_](?:[^*_\n]*[^\s*_])?)[*_](?![\w*])/;

function makeSpan(groups: Readonly<Record<string, string | undefined>>): Span {
  const { code, bold, strike, label, url, italic } = groups;
  if (code !== undefined) return { kind: "code", text: code };
  if (bold !== undefined) return { kind: "bold", inner: parseSpans(bold) };
  if (strike !== undefined) return { kind: "strike", inner: parseSpans(strike) };
  if (label !== undefined) return { kind: "link", url: url ?? "", inner: parseSpans(label) };
  return { kind: "italic", inner: parseSpans(italic ?? "") };
}

function parseSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const match of text.matchAll(new RegExp(span, "g"))) {
    if (match.index > end) spans.push({ kind: "text", text: text.slice(end, match.index) });
    spans.push(makeSpan(match.groups ?? {}));
    end = match.index + match[0].length;
  }
  if (end < text.length) spans.push({ kind: "text", text: text.slice(end) });
  return spans;
}

const bullet = /^(?<indent>\s*)(?:[-*+]|(?<number>\d+)[.)])\s+(?<text>.*)$/;

type Shape = { readonly test: RegExp; readonly make: (lines: readonly string[]) => Paragraph };

function makeList(lines: readonly string[]): Paragraph {
  const items = lines.map((line): Item => {
    const { indent = "", number, text = "" } = bullet.exec(line)?.groups ?? {};
    const shared = { indent: Math.min(8, Math.floor(indent.length / 2)), spans: parseSpans(text) };
    return number === undefined ? shared : { ...shared, number: Number(number) };
  });
  return { kind: "list", items };
}

/** Order matters: the first pattern that matches a line wins. */
const shapes: readonly (Shape & { readonly isSingle: boolean })[] = [
  { test: /^(?:-{3,}|\*{3,}|_{3,})\s*$/, isSingle: true, make: () => ({ kind: "rule" }) },
  {
    test: /^#{1,6}\s/,
    isSingle: true,
    make: ([line = ""]) => ({
      kind: "heading",
      level: /^#+/.exec(line)?.[0].length ?? 1,
      spans: parseSpans(line.replace(/^#+\s+/, "")),
    }),
  },
  { test: /^\s*(?:[-*+]|\d+[.)])\s/, isSingle: false, make: makeList },
  {
    test: /^>/,
    isSingle: false,
    make: (lines) => ({ kind: "quote", lines: lines.map((line) => parseSpans(line.replace(/^> ?/, ""))) }),
  },
  { test: /\S/, isSingle: false, make: (lines) => ({ kind: "lines", lines: lines.map(parseSpans) }) },
];

function parseLines(text: string): readonly Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let run: { readonly shape: (typeof shapes)[number]; readonly lines: string[] } | undefined;
  for (const line of [...text.split("\n"), ""]) {
    const shape = shapes.find(({ test }) => test.test(line));
    if (run !== undefined && shape === run.shape && !run.shape.isSingle) run.lines.push(line);
    else {
      if (run !== undefined) paragraphs.push(run.shape.make(run.lines));
      run = shape === undefined ? undefined : { shape, lines: [line] };
    }
  }
  return paragraphs;
}

/** Markdown as paragraphs. */
export function parseMarkdown(text: string): readonly Paragraph[] {
  // split with a group returns text and code in turn.
  return text
    .split(/^```[^\n]*\n([\s\S]*?)(?:\n)?^```[ \t]*$/m)
    .flatMap((part, at): readonly Paragraph[] => (at % 2 === 1 ? [{ kind: "code", text: part }] : parseLines(part)));
}

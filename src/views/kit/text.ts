import type { PlainTextElement } from "@slack/types";

// Text that comes from a workload's name, image or status can hold anything. Here it becomes harmless to look at.

// Format characters reorder or hide text (bidi overrides, zero width, tags); surrogates alone are no text. The joiners
// stay behind characters that are not ASCII: emoji and several scripts need them.
const hidden = /(?<![^\0-\x7f])[\u200c\u200d]|(?![\u200c\u200d])[\p{Cf}\u2028\u2029\u115f\u1160\u3164]/gu;

/** One visible character for a control character: its picture from Unicode's block for that. */
function picture(control: string): string {
  const code = control.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}

/** What a field of an answer may hold; "" is shown for nothing. */
export type Shown = string | number | null | undefined;

/** Text of several lines: tabs and line breaks stay, all else that cannot be seen becomes visible. */
export function visibleLines(value: Shown): string {
  return String(value ?? "")
    .toWellFormed()
    .replaceAll(hidden, "\ufffd")
    .replaceAll(/[^\P{Cc}\t\n]/gu, picture);
}

/** `visibleLines` for text of one line. */
export function visible(value: Shown): string {
  return visibleLines(value).replaceAll(/[\t\n]/gu, picture);
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
/** What one reader takes for a character may be long (a family emoji is 11 units); longer ones are cut. */
const LONGEST_GRAPHEME = 64;

/** Where to cut so that at most `max` UTF-16 units stay and no character is cut in two. */
export function cutPoint(text: string, max: number): number {
  if (text.length <= max) return text.length;
  const from = Math.max(0, max - LONGEST_GRAPHEME);
  const window = text.slice(from, max + LONGEST_GRAPHEME);
  const at = graphemes.segment(window).containing(max - from)?.index ?? 0;
  if (at > 0) return from + at;
  const isPair = /[\ud800-\udbff]/u.test(text.charAt(max - 1));
  return isPair ? max - 1 : max;
}

/** At most `max` UTF-16 units (the larger of the two ways to count characters; Slack does not say which), "…" included. */
export function truncate(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, cutPoint(text, max - 1))}…`;
}

/**
 * Text for places where Slack parses mrkdwn: `&`, `<` and `>` as Slack asks
 * (https://docs.slack.dev/messaging/formatting-message-text#escaping), and `@channel` and the like cut by a word joiner.
 */
export function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/@(?=channel|here|everyone)/giu, "@\u2060");
}

/** `escape`, no longer than `max` afterwards. */
export function escapeWithin(text: string, max: number): string {
  let cut = truncate(text, max);
  let escaped = escape(cut);
  while (escaped.length > max) {
    cut = truncate(cut, Math.min(cut.length - 1, Math.floor((cut.length * max) / escaped.length)));
    escaped = escape(cut);
  }
  return escaped;
}

/** 2000 → "2,000". */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ",");
}

/** "1 line", "2 lines"; `many` where an s does not do. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** Text in which Slack parses nothing, on one line and never empty. */
export function plain(text: Shown, max: number): PlainTextElement {
  return { type: "plain_text", text: truncate(visible(text), max) || "–", emoji: false };
}

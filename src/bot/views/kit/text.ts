import type { PlainTextElement } from "@slack/types";
import { shortDigests } from "../../../api/image.ts";

// Names, images and statuses of workloads can contain anything. These functions make them safe to show.

// Format characters reorder or hide text (bidi overrides, zero width, tags). Joiners stay after characters that aren't
// ASCII: emoji and several scripts need them.
const hidden = /(?<![^\0-\x7f])[\u200c\u200d]|(?![\u200c\u200d])[\p{Cf}\u2028\u2029\u115f\u1160\u3164]/gu;

/** The visible symbol of a control character, from Unicode's Control Pictures. */
function picture(control: string): string {
  const code = control.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}

/** A field of an answer. Null and undefined are shown as "". */
export type Shown = string | number | null | undefined;

/** As most texts are: to look for each kind of invisible character takes three times as long. */
const printable = /^[\n -~]*$/u;

/** Makes invisible characters visible, except tabs and line breaks. */
export function visibleLines(value: Shown): string {
  const text = String(value ?? "");
  if (printable.test(text)) return text;
  return text
    .toWellFormed()
    .replaceAll(hidden, "\ufffd")
    .replaceAll(/[^\P{Cc}\t\n]/gu, picture);
}

/** `visibleLines` for text of one line. */
export function visible(value: Shown): string {
  return visibleLines(value).replaceAll(/[\t\n]/gu, picture);
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
/** A grapheme can be long (a family emoji is 11 units); longer ones than this are cut. */
const LONGEST_GRAPHEME = 64;

/** Where to cut so that at most `max` UTF-16 units remain and no grapheme is split. */
export function cutPoint(text: string, max: number): number {
  if (text.length <= max) return text.length;
  const from = Math.max(0, max - LONGEST_GRAPHEME);
  const window = text.slice(from, max + LONGEST_GRAPHEME);
  const at = graphemes.segment(window).containing(max - from)?.index ?? 0;
  if (at > 0) return from + at;
  const isPair = /[\ud800-\udbff]/u.test(text.charAt(max - 1));
  return isPair ? max - 1 : max;
}

/** At most `max` UTF-16 units including "…". Slack doesn't document how it counts; units are the larger count. */
export function truncate(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, cutPoint(text, max - 1))}…`;
}

/** The same, cut in the middle: the ends of long names tell them apart. */
export function truncateMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = text.slice(0, cutPoint(text, Math.ceil((max - 1) / 2)));
  const from = text.length - (max - 1 - head.length);
  return `${head}…${text.slice(cutPoint(text, from) === from ? from : from + 1)}`;
}

/**
 * Escapes text where Slack parses mrkdwn: `&`, `<` and `>`
 * (https://docs.slack.dev/messaging/formatting-message-text#escaping), and a word joiner inside `@channel` and the like.
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

/** As a sentence begins. */
export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** As inside a sentence. */
export function lower(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

/** 2000 → "2,000". */
export function grouped(count: number): string {
  if (count < 1_000) return String(count);
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ",");
}

/** "1 line", "2 lines"; `many` for irregular plurals. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** "2 of 3" where it is known how many are ready, else "3 instances"; undefined of an unknown size. */
export function instancesText({
  target_instance_size: size,
  ready_instances: ready,
}: {
  readonly target_instance_size?: number | undefined;
  readonly ready_instances?: number | undefined;
}): string | undefined {
  if (size === undefined) return undefined;
  return ready === undefined ? counted(size, "instance") : `${grouped(ready)} of ${grouped(size)}`;
}

/** "Alex Kim, Omar Haddad and 3 more". `count`: how many there are, if all are known. */
export function namesAnd({
  names,
  count,
}: {
  readonly names: readonly string[];
  readonly count: number | undefined;
}): string {
  const listed = names.map((name) => truncateMiddle(visible(name), 60)).join(", ");
  if (count === undefined) return `${listed} and others`;
  return count > names.length ? `${listed} and ${count - names.length} more` : listed;
}

/** One line of at most `max` characters, never empty: Slack refuses empty text. */
export function line(value: Shown, max: number): string {
  // The shown text is at least half as long as its source, so the rest of a long source isn't read.
  return truncate(visible(String(value ?? "").slice(0, 2 * (max + LONGEST_GRAPHEME))), max) || "–";
}

/** A `line` to be read, with short digests. What people copy is code, and has them whole. */
export function readable(value: Shown, max: number): string {
  // A reference to an image becomes a quarter as long.
  return line(shortDigests(String(value ?? "").slice(0, 8 * (max + LONGEST_GRAPHEME))), max);
}

/** `readable` as a text object that Slack doesn't parse. */
export function plain(value: Shown, max: number): PlainTextElement {
  return { type: "plain_text", text: readable(value, max), emoji: false };
}

/**
 * Removes repeated sentences from the texts of one message: a quoted error, also after a colon, may already say "Nothing was changed."
 * A text that only repeats becomes empty.
 */
export function saidOnce<const Texts extends readonly string[]>(texts: Texts): { [At in keyof Texts]: string } {
  const said = new Set<string>();
  const isNew = (sentence: string): boolean => {
    const lower = sentence.toLowerCase();
    if (said.has(lower)) return false;
    said.add(lower).add(lower.replace(/^[^:]*:\s+/u, ""));
    return true;
  };
  const once = texts.map((text) =>
    text
      .split(/(?<=[.!?…])\s+/u)
      .filter((each) => each === "" || isNew(each))
      .join(" "),
  );
  return once as { [At in keyof Texts]: string }; // as many as there were
}

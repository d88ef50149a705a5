import type { RichTextDate, RichTextElement, RichTextLink, RichTextText } from "@slack/types";
import { line, readable, type Shown, visible } from "./text.ts";

// Elements of a rich text line. Slack doesn't parse them, so foreign text can't contain mentions, links or formatting.

export type Inline = RichTextElement;

/** Maximum characters of foreign text in a line. */
const PIECE = 300;
const SENTENCE = 700;

export function words(value: Shown, max = PIECE): RichTextText {
  return { type: "text", text: readable(value, max) };
}

export function strong(value: Shown, max = PIECE): RichTextText {
  return { type: "text", text: readable(value, max), style: { bold: true } };
}

/** To be copied: as it is. */
export function code(value: Shown, max = PIECE): RichTextText {
  return { type: "text", text: line(value, max), style: { code: true } };
}

const HOST = /^[a-z0-9](?:[a-z0-9.-]{0,252})(?::\d{1,5})?$/iu;

/** A host, with or without a port, as a link; anything else as text. */
export function hostLink(value: Shown, max = 80): RichTextLink | RichTextText {
  const host = visible(value);
  if (host.length > max || !HOST.test(host)) return words(host, max);
  return { type: "link", url: `http://${host}` };
}

/**
 * A time in each reader's own zone; invalid times as text. `before`: the words before it in its sentence. Slack writes "Today" at the
 * beginning of a date and "today" behind words of the same date.
 */
export function moment(value: Shown, before: string): RichTextDate | RichTextText {
  return date(value, "{date_short_pretty}, {time}", before);
}

/** "expires in 59 minutes", which Slack keeps up to date. */
export function expires(value: Shown): RichTextDate | RichTextText {
  return date(value, "{ago}", "expires ");
}

function date(value: Shown, format: string, before = ""): RichTextDate | RichTextText {
  const text = visible(value);
  const ms = Date.parse(text);
  if (!(ms >= 0)) return words(`${before}${text}`, before.length + 80);
  const fallback = `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return {
    type: "date",
    timestamp: Math.floor(ms / 1000),
    format: `${before}${format}`,
    fallback: `${before}${fallback}`,
  };
}

/** A mention of a person by Slack id; anything else as text. */
export function person(value: string): Inline {
  return /^[UW][A-Z0-9]{2,20}$/u.test(value) ? { type: "user", user_id: value } : words(value, 80);
}

/** A mention of a user group by Slack id, which notifies its members; anything else as text. */
export function group(value: string): Inline {
  return /^S[A-Z0-9]{2,20}$/u.test(value) ? { type: "usergroup", usergroup_id: value } : words(value, 80);
}

export function channel(value: string): Inline {
  return /^[CGD][A-Z0-9]{2,20}$/u.test(value) ? { type: "channel", channel_id: value } : words("this channel");
}

export function joined(pieces: readonly Inline[], separator = ", "): Inline[] {
  return pieces.flatMap((piece, at) => (at === 0 ? [piece] : [words(separator), piece]));
}

/** The first items, and the number of the rest. */
export function firstOf<Item>(items: readonly Item[], max: number, draw: (item: Item) => Inline): Inline[] {
  if (items.length === 0) return [];
  const more = items.length > max ? [words(` and ${items.length - max} more`)] : [];
  return [...joined(items.slice(0, max).map(draw)), ...more];
}

/** Parts between backticks become code; nothing else is parsed. */
export function sentence(text: string): Inline[] {
  return text
    .split("`")
    .map((part, at) => (part === "" ? undefined : at % 2 === 1 ? code(part, SENTENCE) : words(part, SENTENCE)))
    .filter((piece) => piece !== undefined);
}

import { type Json, objectOf, textOf } from "../../json.ts";

/** The text of a text object, or of the text object under `name`, for accessible names. */
export function wordsOf(holder: Json | undefined, name = "text"): string {
  return textOf(objectOf(objectOf(holder)[name])["text"]);
}

const harmless = new Set(["http:", "https:", "mailto:", "tel:"]);

/** An address that is safe to open; undefined for others (javascript:, data:). */
export function safeLink(url: string): string | undefined {
  return URL.canParse(url) && harmless.has(new URL(url).protocol) ? url : undefined;
}

const toned = /^(?<base>.+)::skin-tone-(?<tone>[2-6])$/;
const takesTone = /^\p{Emoji_Modifier_Base}/u;

/** The characters for a name, also "+1::skin-tone-3"; undefined for an unknown name. */
export function findEmoji(names: ReadonlyMap<string, string>, name: string): string | undefined {
  const known = names.get(name);
  const tone = toned.exec(name)?.groups;
  if (known !== undefined || tone === undefined) return known;
  const base = names.get(tone["base"] ?? "");
  if (base === undefined || !takesTone.test(base)) return base;
  // The tone follows the first character, before any joined ones. Slack counts tones from 2.
  const [first = "", ...rest] = base;
  const modifier = String.fromCodePoint(0x1f3fb + Number(tone["tone"]) - 2);
  return [first, modifier, ...rest.filter((each, at) => at > 0 || each !== "\uFE0F")].join("");
}

/** Fetches the names once. Until they arrive, or if they never do, emoji are shown as their names. */
export async function loadEmoji(url: string): Promise<ReadonlyMap<string, string>> {
  const answer = await fetch(url);
  if (!answer.ok) return new Map();
  const names = (await answer.json()) as Record<string, string>; // as emojiNames() builds it
  return new Map(Object.entries(names));
}

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

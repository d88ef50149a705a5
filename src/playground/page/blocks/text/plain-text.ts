import { type Json, objectOf, textOf } from "../../../json.ts";

/** The text of a text object, or of the text object under `name`, for accessible names. */
export function wordsOf(holder: Json | undefined, name = "text"): string {
  return textOf(objectOf(objectOf(holder)[name])["text"]);
}

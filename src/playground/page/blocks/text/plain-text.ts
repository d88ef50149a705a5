import { type Json, objectOf, textOf } from "../../../json.ts";

/** The words of a text object (or of an object with one under `name`), for labels that screen readers say. */
export function wordsOf(holder: Json | undefined, name = "text"): string {
  return textOf(objectOf(objectOf(holder)[name])["text"]);
}

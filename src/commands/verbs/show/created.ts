import { moment, words, type Inline } from "../../../views/kit/inline.ts";
import { age } from "../../../views/kit/time.ts";

/** The time of creation and the age; nothing when unknown. */
export function created(iso: string | undefined, now: Date): Inline[] {
  if (iso === undefined) return [];
  const ago = age(iso, now);
  return ago === undefined ? [words(iso, 80)] : [moment(iso), words(` (${ago} ago)`)];
}

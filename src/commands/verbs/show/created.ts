import { moment, words, type Inline } from "../../../views/kit/inline.ts";
import { age } from "../../../views/kit/time.ts";

/** A moment of creation and how long ago it was; nothing where it is not told. */
export function created(iso: string | undefined, now: Date): Inline[] {
  if (iso === undefined) return [];
  const ago = age(iso, now);
  return ago === undefined ? [words(iso, 80)] : [moment(iso), words(` (${ago} ago)`)];
}

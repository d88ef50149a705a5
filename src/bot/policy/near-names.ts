import { distance } from "fastest-levenshtein";

/** Known names close to a mistyped one, closest first. Pure. */
export function nearNames(typed: string, known: Iterable<string>, count = 3): string[] {
  const wanted = typed.toLowerCase();
  if (wanted === "") return [];
  const most = mostErrors(wanted);
  const scored: { name: string; score: number }[] = [];
  for (const name of known) {
    const score = scoreOf(wanted, name.toLowerCase());
    if (score <= most) scored.push({ name, score });
  }
  return scored
    .sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, count)
    .map(({ name }) => name);
}

/** " Did you mean “who”?" for a known word close to what was typed, or "". Pure. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const near = nearNames(typed, known, 2).map((name) => `“${name}”`);
  return near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
}

/** The longer the word, the more typing errors it may have. In a word of two or three letters, one is a lot already. */
function mostErrors({ length }: string): number {
  if (length < 2) return 0;
  return length < 5 ? 1 : Math.max(2, Math.floor(length / 3));
}

/** The number of typing errors: two letters in the wrong order are one. A name that begins with what was typed counts as one error, and one that contains it is near enough. */
function scoreOf(wanted: string, name: string): number {
  const errors = isSwapped(wanted, name) ? 1 : distance(wanted, name);
  if (wanted.length < 3) return errors;
  if (name.startsWith(wanted)) return Math.min(errors, 1);
  return name.includes(wanted) ? Math.min(errors, mostErrors(wanted)) : errors;
}

function isSwapped(wanted: string, name: string): boolean {
  const at = Array.from(wanted).findIndex((letter, index) => letter !== name[index]);
  if (at < 0 || wanted.length !== name.length) return false;
  return name === wanted.slice(0, at) + wanted.charAt(at + 1) + wanted.charAt(at) + wanted.slice(at + 2);
}

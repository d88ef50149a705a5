import { distance } from "fastest-levenshtein";

/** Known names close to a mistyped one, closest first. Pure. */
export function nearNames(typed: string, known: Iterable<string>, count = 3): string[] {
  const wanted = typed.toLowerCase();
  if (wanted === "") return [];
  const most = Math.max(2, Math.floor(wanted.length / 3));
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

/** The number of typing errors. A name that begins with what was typed counts as one error, one that contains it as two. */
function scoreOf(wanted: string, name: string): number {
  const errors = distance(wanted, name);
  if (wanted.length < 3) return errors;
  if (name.startsWith(wanted)) return Math.min(errors, 1);
  return name.includes(wanted) ? Math.min(errors, 2) : errors;
}

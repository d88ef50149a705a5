import { distance } from "fastest-levenshtein";

/** " Did you mean “who”?" for a known word that looks like what was typed; "" when none does. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const wanted = typed.toLowerCase();
  const most = Math.max(1, Math.floor(wanted.length / 3));
  const near = known
    .map((word) => ({ word, score: scoreOf(wanted, word.toLowerCase()) }))
    .filter(({ score }) => score <= most)
    .sort((a, b) => a.score - b.score)
    .slice(0, 2)
    .map(({ word }) => `“${word}”`);
  return near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
}

/** Typing errors apart; a word that begins with what was typed counts as one (`delete` for `deleteJob`). */
function scoreOf(wanted: string, word: string): number {
  const apart = distance(wanted, word);
  return wanted.length >= 3 && word.startsWith(wanted) ? Math.min(apart, 1) : apart;
}

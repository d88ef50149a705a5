import { distance } from "fastest-levenshtein";

/** Known words similar to a mistyped one, most similar first. Pure. */
export function nearest(typed: string, known: Iterable<string>, count = 3): string[] {
  const wanted = typed.toLowerCase();
  if (wanted === "") return [];
  const most = Math.max(2, Math.floor(wanted.length / 3));
  const scored: { word: string; score: number }[] = [];
  for (const word of known) {
    const score = scoreOf(wanted, word.toLowerCase());
    if (score <= most) scored.push({ word, score });
  }
  return scored
    .sort((a, b) => a.score - b.score || (a.word < b.word ? -1 : 1))
    .slice(0, count)
    .map(({ word }) => word);
}

/** Typing errors apart; a name that merely contains what was typed counts as two. */
function scoreOf(wanted: string, word: string): number {
  const apart = distance(wanted, word);
  return wanted.length >= 3 && word.includes(wanted) ? Math.min(apart, 2) : apart;
}

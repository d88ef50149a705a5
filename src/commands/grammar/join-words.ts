/**
 * One line that splits into exactly these words, as `splitPlainWords` splits; undefined where no quotes can hold one of
 * them. Pure.
 */
export function joinWords(words: readonly string[]): string | undefined {
  const quoted = words.map(quote);
  return quoted.includes(undefined) ? undefined : quoted.join(" ");
}

/** A curly quote closes what a straight one of its kind has opened, and only straight ones can be escaped. */
function quote(word: string): string | undefined {
  if (/^[\w@%+:,./=-]+$/u.test(word)) return word;
  if (!/[“”„‟]/u.test(word)) return `"${word.replaceAll(/["\\]/gu, "\\$&")}"`;
  return /['‘’‚‛]/u.test(word) ? undefined : `'${word}'`;
}

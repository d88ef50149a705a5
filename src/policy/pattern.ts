/**
 * Whether a name is as a pattern has it: `*` stands for any characters, also none; all others for themselves, capitals
 * included. Works in steps bounded by both lengths, whatever the pattern is, unlike a regular expression.
 */
export function matchesPattern(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= name.length - last.length;
}

/** A pattern that every name matches. */
export function matchesEverything(pattern: string): boolean {
  return /^\*+$/u.test(pattern);
}

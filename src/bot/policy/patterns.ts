/**
 * Case-sensitive; `*` matches any characters, also none. Linear in both lengths, unlike a regular expression, so a
 * pattern can't take long.
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

export function matchesEverything(pattern: string): boolean {
  return /^\*+$/u.test(pattern);
}

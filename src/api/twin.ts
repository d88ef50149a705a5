/** The first entry that occurs twice. */
export function twinIn<T>(entries: readonly T[]): T | undefined {
  const seen = new Set<T>();
  return entries.find((entry) => seen.size === seen.add(entry).size);
}

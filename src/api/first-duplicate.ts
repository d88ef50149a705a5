/** The first entry that occurs twice. */
export function firstDuplicate<T>(entries: readonly T[]): T | undefined {
  const seen = new Set<T>();
  return entries.find((entry) => seen.size === seen.add(entry).size);
}

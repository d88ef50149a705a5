/** A time as people write it, which may be one that no clock shows. */
export const TIME = String.raw`\d{1,2}(?::\d{2})?(?: ?[ap]m)?`;

export const isTime = (typed: string): boolean => new RegExp(`^${TIME}$`, "iu").test(typed);

/** `7:00` and `7am` → `07:00`; undefined for what no clock shows. */
export function clockTime(typed: string): string | undefined {
  const [, hours = "", minutes = "00", half] = /^(\d{1,2})(?::([0-5]\d))?(?: ?([ap])m)?$/iu.exec(typed) ?? [];
  const isShown = half === undefined ? /^(?:[01]?\d|2[0-3])$/u.test(hours) : /^(?:0?[1-9]|1[0-2])$/u.test(hours);
  if (!isShown) return undefined;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  return `${String(hour).padStart(2, "0")}:${minutes}`;
}

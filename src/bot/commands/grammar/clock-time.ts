/** The form of a time: `7:00`, `7am`, `18`. It also matches times that don't exist, such as 25:00. */
export const TIME = String.raw`\d{1,2}(?::\d{2})?(?: ?[ap]m)?`;

export const isTime = (typed: string): boolean => new RegExp(`^${TIME}$`, "iu").test(typed);

/** `7:00` and `7am` → `07:00`; undefined for a time that doesn't exist. */
export function clockTime(typed: string): string | undefined {
  const [, hours = "", minutes = "00", half] = /^(\d{1,2})(?::([0-5]\d))?(?: ?([ap])m)?$/iu.exec(typed) ?? [];
  const isShown = half === undefined ? /^(?:[01]?\d|2[0-3])$/u.test(hours) : /^(?:0?[1-9]|1[0-2])$/u.test(hours);
  if (!isShown) return undefined;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  return `${String(hour).padStart(2, "0")}:${minutes}`;
}

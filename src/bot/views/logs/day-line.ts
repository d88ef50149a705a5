type Day = { readonly date: string; readonly zone: string; readonly today: string };

/** The log's day: "2026-11-20 · since midnight UTC". It begins at midnight of the log's zone, not of the reader's. */
export function logDayLine({ date, zone, today }: Day): string {
  return `${date.replaceAll(".", "-")} · ${date >= today ? "since midnight" : "midnight to midnight"} ${zone}`;
}

const marks: Readonly<Record<string, string>> = {
  Running: "🟢",
  Complete: "✅",
  Starting: "🟡",
  Updating: "🟡",
  Stopping: "🟡",
  Pending: "🟡",
  Stopped: "⚪",
  Suspended: "⚪",
  Deleting: "⚪",
  Failed: "🔴",
};

/** A status with its mark; a status that Gantry does not know as it is. */
export function markedStatus(status: string): string {
  return Object.hasOwn(marks, status) ? `${marks[status]} ${status}` : status;
}

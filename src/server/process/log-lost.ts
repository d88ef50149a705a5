import type { NewLine } from "./log-store.ts";

/** Counts the lines that could not be stored, for a note in the log they are missing from. */
export type LostLines = {
  /** `error` is what kept them from being stored. */
  readonly add: (lines: readonly NewLine[], error: unknown) => void;
  /** One line for each log with a gap. */
  readonly notes: (day: string) => NewLine[];
  /** The notes are stored. */
  readonly told: () => void;
  readonly forget: (workload: string) => void;
};

type Gap = { readonly workload: string; readonly instance: string; readonly count: number };

/** `onEvent` is called once when lines begin to be lost, and once when no more are. */
export function makeLostLines(onEvent: (message: string, data: object) => void): LostLines {
  const gaps = new Map<string, Gap>();
  let why: string | undefined;
  let total = 0;
  return {
    add(lines, error) {
      if (why === undefined) onEvent("log lines cannot be stored", { error });
      why = isDiskFull(error) ? "the disk is full" : "the log could not be written";
      total += lines.length;
      for (const { workload, instance } of lines) {
        const key = `${workload} ${instance}`;
        gaps.set(key, { workload, instance, count: (gaps.get(key)?.count ?? 0) + 1 });
      }
    },
    notes: (day) =>
      [...gaps.values()].map(({ workload, instance, count }) => {
        const lines = count === 1 ? "1 line was" : `${count} lines were`;
        return { workload, instance, day, line: `[gantry] ${lines} not stored: ${why ?? ""}` };
      }),
    told() {
      if (why === undefined) return;
      onEvent("log lines are stored again", { lost: total });
      gaps.clear();
      total = 0;
      why = undefined;
    },
    forget(workload) {
      for (const [key, gap] of gaps) if (gap.workload === workload) gaps.delete(key);
    },
  };
}

/** SQLITE_FULL, https://sqlite.org/rescode.html#full; extended codes have it in their low byte. */
function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "errcode" in error ? Number(error.errcode) & 0xff : undefined;
  return code === 13 || ("code" in error && error.code === "ENOSPC");
}

import type { NewLine } from "./log-store.ts";
import { isDiskFull } from "../state/exhausted.ts";

/** Counts the lines that could not be stored, for a note in the log they are missing from. */
export type LostLines = {
  /** `error` is the reason they weren't stored. */
  readonly add: (lines: readonly NewLine[], error: unknown) => void;
  /** One line for each log with a gap. */
  readonly notes: (day: string) => NewLine[];
  /** Call when the notes are stored. */
  readonly reported: () => void;
  readonly forget: (workload: string) => void;
};

type Gap = { readonly workload: string; readonly instance: string; readonly count: number };

/** `onEvent` is called once when lines start to be lost, and once when storing works again. */
export function makeLostLines(onEvent: (message: string, data: object) => void): LostLines {
  const gaps = new Map<string, Gap>();
  let why: string | undefined;
  let total = 0;
  return {
    add(lines, error) {
      if (why === undefined) onEvent("can't store log lines", { error });
      why = isDiskFull(error) ? "the disk is full" : "writing the log failed";
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
    reported() {
      if (why === undefined) return;
      onEvent("storing log lines again", { lost: total });
      gaps.clear();
      total = 0;
      why = undefined;
    },
    forget(workload) {
      for (const [key, gap] of gaps) if (gap.workload === workload) gaps.delete(key);
    },
  };
}

import type { Step } from "./ipc.ts";

/** The last things that happened in a cluster, for the report of a failure. */
export type Trace = {
  readonly add: (line: string) => void;
  readonly lines: () => readonly string[];
  /** Begins again: the times count from here. */
  readonly reset: () => void;
};

const MOST_LINES = 60;
const LONGEST = 300;

export function createTrace(): Trace {
  let lines: string[] = [];
  let since = performance.now();
  return {
    add(line) {
      lines.push(`${((performance.now() - since) / 1000).toFixed(2)} s ${line.slice(0, LONGEST)}`);
      if (lines.length > 2 * MOST_LINES) lines = lines.slice(-MOST_LINES);
    },
    lines: () => lines.slice(-MOST_LINES),
    reset() {
      lines = [];
      since = performance.now();
    },
  };
}

/** These are called all the time, whatever happens. */
const routine: ReadonlySet<Step["edge"]> = new Set<Step["edge"]>(["beat", "countCalls"]);

export function isWorthATrace({ edge, when, isEffective }: Step): boolean {
  return when === "after" && isEffective === true && !routine.has(edge);
}

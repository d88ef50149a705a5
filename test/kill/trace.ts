import type { Step } from "./ipc.ts";

/** How a round began and what happened last in its cluster, for the report of a failure. */
export type Trace = {
  readonly add: (line: string) => void;
  readonly lines: () => readonly string[];
  /** Begins again: the times count from here. */
  readonly reset: () => void;
};

const FIRST_LINES = 40;
const LAST_LINES = 25;
const LONGEST = 300;

export function createTrace(): Trace {
  let first: string[] = [];
  let last: string[] = [];
  let since = performance.now();
  return {
    add(text) {
      const line = `${((performance.now() - since) / 1000).toFixed(2)} s ${text.slice(0, LONGEST)}`;
      if (first.length < FIRST_LINES) first.push(line);
      else last = [...last.slice(1 - LAST_LINES), line];
    },
    lines: () => [...first, ...(last.length < LAST_LINES ? [] : ["…"]), ...last],
    reset() {
      first = [];
      last = [];
      since = performance.now();
    },
  };
}

/** These are called all the time, whatever happens. */
const routine: ReadonlySet<Step["edge"]> = new Set<Step["edge"]>(["beat", "countCalls"]);

export function isWorthATrace({ edge, when, isEffective }: Step): boolean {
  return when === "after" && isEffective === true && !routine.has(edge);
}

/** What was found to be wrong, and what else is told at the end. */
export type Findings = {
  readonly add: (what: string) => void;
  readonly count: () => number;
  readonly answered: (op: string, status: number) => void;
  readonly lines: () => string[];
  /** The operations that were answered with 200 at least once. */
  readonly done: ReadonlySet<string>;
};

/** As many are told in full. */
const TOLD = 12;

export function makeFindings(): Findings {
  const found: string[] = [];
  const done = new Set<string>();
  return {
    add: (what) => void found.push(what),
    count: () => found.length,
    answered(op, status) {
      if (status === 200) done.add(op);
    },
    lines() {
      const told = found.slice(0, TOLD).map((what) => `  ! ${what}`);
      const rest = found.length > TOLD ? [`  ! and ${found.length - TOLD} more`] : [];
      return [...told, ...rest];
    },
    done,
  };
}

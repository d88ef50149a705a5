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
  const statuses = new Map<number, number>();
  const done = new Set<string>();
  return {
    add: (what) => void found.push(what),
    count: () => found.length,
    answered(op, status) {
      statuses.set(status, 1 + (statuses.get(status) ?? 0));
      if (status === 200) done.add(op);
    },
    lines() {
      const told = found.slice(0, TOLD).map((what) => `  ! ${what}`);
      const rest = found.length > TOLD ? [`  ! and ${found.length - TOLD} more`] : [];
      const counts = [...statuses].toSorted(([one], [other]) => one - other);
      const answers = counts.map(([status, count]) => `${count} × ${status}`).join(", ");
      return [...told, ...rest, ...(answers === "" ? [] : [`  answers: ${answers}`])];
    },
    done,
  };
}

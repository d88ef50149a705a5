/** One figure of the bot, beside the same of a bare app in the same run where there is one. */
export type Row = {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly base?: number;
  /** What it is made of, as people read it. */
  readonly note?: string;
  /** What it should be, as people read it. */
  readonly goal: string;
  readonly isReached: boolean;
};

type Measured = Pick<Row, "name" | "unit" | "ours" | "note">;

export function atMost(measured: Measured, most: number): Row {
  return { ...measured, goal: `≤ ${most} ${measured.unit}`, isReached: measured.ours <= most };
}

export function atLeast(measured: Measured, least: number): Row {
  return { ...measured, goal: `≥ ${least} ${measured.unit}`, isReached: measured.ours >= least };
}

/** Without a goal. */
export function told(measured: Measured & Pick<Row, "base">): Row {
  return { ...measured, goal: "–", isReached: true };
}

type Compared = Measured & { readonly base: number };

export function atMostBy(measured: Compared, most: number): Row {
  return { ...measured, goal: `≤ ${most} × the bare app`, isReached: measured.ours <= most * measured.base };
}

export function atLeastBy(measured: Compared, least: number): Row {
  return { ...measured, goal: `≥ ${least} × the bare app`, isReached: measured.ours >= least * measured.base };
}

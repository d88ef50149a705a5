import { median, medianInterval, type Interval } from "./stats.ts";

/** One figure of the bot, beside the same of a bare app in the same run where there is one. */
export type Row = {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly base?: number;
  /** By round, the bot's by the bare app's: the middle of these. */
  readonly ratio?: number;
  /** Where the figure most likely lies, by its rounds; beside a bare app, where the ratio does. */
  readonly interval: Interval;
  /** What it is made of, as people read it. */
  readonly note?: string;
  /** What it should be, as people read it. */
  readonly goal: string;
  /** False only when the whole interval lies beyond the goal: other programs of the machine move a figure, too. */
  readonly isReached: boolean;
};

/** One figure, or one for each round. */
type Figure = number | readonly number[];
type Measured = Pick<Row, "name" | "unit" | "note"> & { readonly ours: Figure };
/** A round of the bare app for each of the bot's, in turn with it. */
type Compared = Measured & { readonly base: Figure };

type Beside = {
  /** What `base` is a figure of. */
  readonly of?: string;
};

export function atMost(measured: Measured, most: number): Row {
  const row = told(measured);
  return { ...row, goal: `≤ ${most} ${row.unit}`, isReached: !(row.interval.low > most) };
}

export function atLeast(measured: Measured, least: number): Row {
  const row = told(measured);
  return { ...row, goal: `≥ ${least} ${row.unit}`, isReached: !(row.interval.high < least) };
}

export function atMostBy(measured: Compared, most: number, { of = "the bare app" }: Beside = {}): Row {
  const row = told(measured);
  return { ...row, goal: `≤ ${most} × ${of}`, isReached: !(row.interval.low > most) };
}

export function atLeastBy(measured: Compared, least: number, { of = "the bare app" }: Beside = {}): Row {
  const row = told(measured);
  return { ...row, goal: `≥ ${least} × ${of}`, isReached: !(row.interval.high < least) };
}

/** Without a goal. */
export function told({ ours, base, ...measured }: Measured & Partial<Compared>): Row {
  const rounds = roundsOf(ours);
  if (rounds.some(Number.isNaN)) throw new Error(`${measured.name} was not measured`);
  const row = { ...measured, ours: median(rounds), goal: "–", isReached: true };
  if (base === undefined) return { ...row, interval: medianInterval(rounds) };
  const others = roundsOf(base);
  const ratios = rounds.map((value, round) => value / (others[round] ?? median(others)));
  return { ...row, base: median(others), ratio: median(ratios), interval: medianInterval(ratios) };
}

function roundsOf(figure: Figure): readonly number[] {
  return typeof figure === "number" ? [figure] : figure;
}

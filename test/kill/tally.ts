import type { Point } from "./points.ts";
import { type Fault, faults, type Violation } from "./faults.ts";

/** What a run has seen so far. */
export type Tally = {
  readonly kills: Map<string, number>;
  readonly faults: Map<Fault, number>;
  readonly found: string[];
  /** The checks without a kill, in words. */
  readonly checks: string[];
  rounds: number;
  missed: number;
  /** Later than Slack would have waited, which is no fault of the bot on a busy machine. */
  lateAcks: number;
  /** Decisions that were answered with "could not be checked", and made again. */
  repeated: number;
};

export function newTally(): Tally {
  const counts = { rounds: 0, missed: 0, lateAcks: 0, repeated: 0 };
  return { kills: new Map(), faults: new Map(), found: [], checks: [], ...counts };
}

export function countKill(tally: Tally, point: Point): void {
  const key = keyOf(point);
  tally.kills.set(key, (tally.kills.get(key) ?? 0) + 1);
}

type Found = {
  readonly violations: readonly Violation[];
  readonly where: string;
  /** The arguments that play the same again. */
  readonly repeatWith: string;
  /** The last things that happened. */
  readonly trace: readonly string[];
};

export function countFaults(tally: Tally, { violations, where, repeatWith, trace }: Found): void {
  for (const { fault, what } of violations) {
    tally.faults.set(fault, (tally.faults.get(fault) ?? 0) + 1);
    tally.found.push(`${where}: ${fault}: ${what}`);
  }
  if (violations.length === 0) return;
  tally.found.push([`${where}: repeat with: npm run test:kill -- ${repeatWith}`, ...trace].join("\n      "));
}

/** Those of the points at which nobody was killed. */
export function neverKilled(tally: Tally, points: readonly Point[]): readonly Point[] {
  return points.filter((point) => !tally.kills.has(keyOf(point)));
}

export function keyOf({ name, when }: Point): string {
  return `${name} · ${when}`;
}

/** What a run was, then its faults. */
export function reportOf(title: string, tally: Tally, seconds: number): string {
  const { rounds, missed, lateAcks, repeated } = tally;
  const kills = [...tally.kills.values()].reduce((sum, count) => sum + count, 0);
  return [
    `${title}: ${rounds} rounds, ${kills} kills, ${seconds.toFixed(0)} s`,
    `  ${missed} rounds without their kill, ${lateAcks} acks after 3 s, ${repeated} decisions that were made again`,
    ...faults.map((fault) => `  ${fault}: ${tally.faults.get(fault) ?? 0}`),
    ...tally.checks.map((line) => `  ${line}`),
    ...tally.found.map((line) => `  ! ${line}`),
  ].join("\n");
}

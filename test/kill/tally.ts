import { calls, edges, type Point, whens } from "./points.ts";
import { type Fault, faults, type Violation } from "./faults.ts";
import { type Outcome, outcomes } from "./outcomes.ts";

/** What a run has seen so far. */
export type Tally = {
  readonly kills: Map<string, number>;
  readonly faults: Map<Fault, number>;
  /** How requests ended, each once. */
  readonly outcomes: Map<Outcome, number>;
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
  return { kills: new Map(), faults: new Map(), outcomes: new Map(), found: [], checks: [], ...counts };
}

export function countKill(tally: Tally, point: Point): void {
  const key = keyOf(point);
  tally.kills.set(key, (tally.kills.get(key) ?? 0) + 1);
}

export function countOutcomes(tally: Tally, ended: readonly Outcome[]): void {
  for (const outcome of ended) tally.outcomes.set(outcome, (tally.outcomes.get(outcome) ?? 0) + 1);
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

const NAME = 34;
const NUMBER = 8;

/** The table of a run: kills by point and moment, how requests ended, then the faults. */
export function tableOf(title: string, tally: Tally, seconds: number): string {
  const row = (cells: readonly (string | number)[]): string => {
    const [first = "", ...rest] = cells.map(String);
    return `  ${first.padEnd(NAME)}${rest.map((cell) => cell.padStart(NUMBER)).join("")}`;
  };
  const killsAt = (name: Point["name"]) => whens.map((when) => tally.kills.get(keyOf({ name, when })) ?? 0);
  const total = [...tally.kills.values()].reduce((sum, count) => sum + count, 0);
  const requests = [...tally.outcomes.values()].reduce((sum, count) => sum + count, 0);
  return [
    `${title}: ${tally.rounds} rounds, ${total} kills, ${requests} requests, ${seconds.toFixed(0)} s`,
    row(["kills at an edge of the state", ...whens]),
    ...edges.map((name) => row([name, ...killsAt(name)])),
    row(["kills at a request", ...whens]),
    ...calls.map((name) => row([name, ...killsAt(name)])),
    row(["requests by how they ended"]),
    ...outcomes.map((outcome) => row([outcome, tally.outcomes.get(outcome) ?? 0])),
    row(["faults"]),
    ...faults.map((fault) => row([fault, tally.faults.get(fault) ?? 0])),
    row(["on the way"]),
    row(["rounds without their kill", tally.missed]),
    row(["acks after 3 s", tally.lateAcks]),
    row(["decisions that were made again", tally.repeated]),
    ...tally.checks.map((line) => `  ${line}`),
    ...tally.found.map((line) => `  ! ${line}`),
  ].join("\n");
}

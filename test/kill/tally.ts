import { allPoints, calls, edges, type Point, whens } from "./points.ts";
import { type Fault, faults, type Violation } from "./faults.ts";

/** What a run has seen so far. */
export type Tally = {
  readonly kills: Map<string, number>;
  readonly faults: Map<Fault, number>;
  readonly found: string[];
  /** What was looked at besides, in words. */
  readonly specials: string[];
  rounds: number;
  changes: number;
  unknown: number;
  missed: number;
};

export function newTally(): Tally {
  return { kills: new Map(), faults: new Map(), found: [], specials: [], rounds: 0, changes: 0, unknown: 0, missed: 0 };
}

export function countKill(tally: Tally, point: Point): void {
  const key = keyOf(point);
  tally.kills.set(key, (tally.kills.get(key) ?? 0) + 1);
}

export function countFaults(tally: Tally, violations: readonly Violation[], where: string): void {
  for (const { fault, what } of violations) {
    tally.faults.set(fault, (tally.faults.get(fault) ?? 0) + 1);
    tally.found.push(`${where}: ${fault}: ${what}`);
  }
}

/** Points at which nobody was killed. */
export function neverKilled(tally: Tally): readonly Point[] {
  return allPoints().filter((point) => !tally.kills.has(keyOf(point)));
}

export function keyOf({ name, when }: Point): string {
  return `${name} · ${when}`;
}

const NAME = 30;
const NUMBER = 8;

/** The table of a run: kills by place and moment, then what was found. */
export function tableOf(title: string, tally: Tally, seconds: number): string {
  const row = (cells: readonly (string | number)[]): string => {
    const [first = "", ...rest] = cells.map(String);
    return `  ${first.padEnd(NAME)}${rest.map((cell) => cell.padStart(NUMBER)).join("")}`;
  };
  const killsAt = (name: Point["name"]) => whens.map((when) => tally.kills.get(keyOf({ name, when })) ?? 0);
  const total = [...tally.kills.values()].reduce((sum, count) => sum + count, 0);
  return [
    `${title}: ${tally.rounds} rounds, ${total} kills, ${tally.changes} changes, ${seconds.toFixed(0)} s`,
    row(["kills at an edge of the state", ...whens]),
    ...edges.map((name) => row([name, ...killsAt(name)])),
    row(["kills at a request", ...whens]),
    ...calls.map((name) => row([name, ...killsAt(name)])),
    ...faults.map((fault) => row([fault, tally.faults.get(fault) ?? 0])),
    row(["ended as “cannot tell”", tally.unknown]),
    ...(tally.missed === 0 ? [] : [row(["rounds without their kill", tally.missed])]),
    ...tally.specials.map((line) => `  ${line}`),
    ...tally.found.map((line) => `  ! ${line}`),
  ].join("\n");
}

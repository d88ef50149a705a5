import { parseArgs } from "node:util";
import { allPoints, type Point } from "./points.ts";

export type StoreKind = "sqlite" | "postgres";
export type Transport = "http" | "socket";

export type Options = {
  /** Times that each point is come to, unless so many rounds are wanted. */
  readonly each: number;
  readonly rounds: number | undefined;
  readonly stores: readonly StoreKind[];
  /** Each point on one of the stores, instead of on all of them. */
  readonly isSplit: boolean;
  /** By store: each is played over one transport as a rule, so that both are in a run that takes no longer. */
  readonly transports: Readonly<Record<StoreKind, Transport>>;
  readonly replays: boolean;
  readonly seed: number;
  /** Whether none is left out. */
  readonly hasAllPoints: boolean;
  /** Of each store. */
  readonly points: Readonly<Record<StoreKind, readonly Point[]>>;
  /** The number of the only one that is played, and its further tries; undefined: all of them. */
  readonly round: number | undefined;
  /** Only the checks in which nobody is killed. */
  readonly onlyChecks: boolean;
  /** 0 is the end when something was found, 1 when nothing was. */
  readonly expectsFailure: boolean;
};

const TIMES_EACH = 3;

export const usage = `npm run test:kill -- [options]
  --each N           times that each point is come to, per store (${TIMES_EACH})
  --rounds N         rounds per store instead; the points are gone through in turn
  --store KIND       sqlite, postgres, both, or split: each point on one of the two, which the seed chooses (both)
  --transport KIND   http or socket, for both stores (http for sqlite, socket for postgres)
  --seed S           a whole number; the same one chooses the same stories and moments
  --only TEXT        only points with TEXT in their name
  --round N          only the round with this number, of the same --seed, --each and --only
  --checks           only the checks without a kill: stopped replicas, many clicks, a troubled Slack
  --variant replay   a broken bot that sends again what was claimed: the run has to find it out
  --expect-failure   end with 0 only if something was found
`;

/** Throws an Error with one sentence when they make no sense. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      each: { type: "string", default: String(TIMES_EACH) },
      rounds: { type: "string" },
      store: { type: "string", default: "both" },
      transport: { type: "string" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      only: { type: "string" },
      variant: { type: "string" },
      round: { type: "string" },
      checks: { type: "boolean", default: false },
      "expect-failure": { type: "boolean", default: false },
    },
  });
  const { store, variant } = values;
  // A bot that sends again does so when it is killed there.
  const only = values.only ?? (variant === undefined ? "" : "service: write");
  if (!["sqlite", "postgres", "both", "split"].includes(store)) {
    throw new Error("--store has to be sqlite, postgres, both or split");
  }
  const transport = transportNamed(values.transport);
  if (variant !== undefined && variant !== "replay") throw new Error("the only --variant is replay");
  const points = allPoints().filter(({ name }) => name.includes(only));
  if (points.length === 0) throw new Error(`no point has “${only}” in its name`);
  const seed = count("--seed", values.seed);
  const half = (rest: number): Point[] => points.filter((_, index) => (index + seed) % 2 === rest);
  return {
    each: count("--each", values.each),
    rounds: values.rounds === undefined ? undefined : count("--rounds", values.rounds),
    stores: store === "both" || store === "split" ? ["sqlite", "postgres"] : [store as StoreKind], // checked above
    isSplit: store === "split",
    hasAllPoints: points.length === allPoints().length,
    points: store === "split" ? { sqlite: half(0), postgres: half(1) } : { sqlite: points, postgres: points },
    transports: { sqlite: transport ?? "http", postgres: transport ?? "socket" },
    replays: variant === "replay",
    seed,
    round: values.round === undefined ? undefined : count("--round", values.round),
    onlyChecks: values.checks,
    expectsFailure: values["expect-failure"],
  };
}

function transportNamed(name: string | undefined): Transport | undefined {
  if (name === undefined || name === "http" || name === "socket") return name;
  throw new Error("--transport has to be http or socket");
}

function count(name: string, value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1)
    throw new Error(`${name} has to be a whole number from 1 on; “${value}” is not`);
  return number;
}

import "./speed.ts";
import { runProgram } from "../support/program.ts";
import { removeBundle } from "./bundle.ts";
import { endAllReplicas } from "./replicas.ts";
import { type Options, readOptions, type StoreKind, usage } from "./options.ts";
import { SPEED } from "./ipc.ts";
import { openDatabases } from "./databases.ts";
import { runRounds } from "./run.ts";
import { neverKilled, keyOf, reportOf } from "./tally.ts";

/** The kill tests: real replicas, ended with `kill -9` at every step from click to settled card. Ends by itself. */

/** The last resort: a wait ends by itself when the replicas had every chance, however busy the machine is. */
const LONGEST_RUN_MS = 6 * 60 * 60_000;
/** Clusters at the same time. */
const LANES = 6;

async function main(options: Options): Promise<number> {
  process.stdout.write(`Kill tests, seed ${options.seed}, time ${SPEED} times as fast\n`);
  const hasFailed = options.isSplit ? await runOnAll(options) : await runOnEach(options);
  if (!options.expectsFailure) return hasFailed ? 1 : 0;
  process.stdout.write(
    hasFailed ? "It was found out, as it had to be.\n" : "Nothing was found, and something had to be.\n",
  );
  return hasFailed ? 0 : 1;
}

async function runOnEach(options: Options): Promise<boolean> {
  let hasFailed = false;
  for (const kind of options.stores) {
    if (hasFailed && options.expectsFailure) break;
    hasFailed = (await runOn(kind, options)) || hasFailed;
  }
  return hasFailed;
}

/** All at once, each with a share of the lanes: one after the other, most lanes would idle during the last rounds of each. */
async function runOnAll(options: Options): Promise<boolean> {
  const lanes = Math.ceil(LANES / options.stores.length);
  const failed = await Promise.all(options.stores.map((kind) => runOn(kind, options, lanes)));
  return failed.includes(true);
}

async function runOn(kind: StoreKind, options: Options, lanes = LANES): Promise<boolean> {
  const since = performance.now();
  const { hasAllPoints, isSplit, round, onlyChecks } = options;
  const points = options.points[kind];
  const rounds = options.rounds ?? options.each * points.length;
  // All points were to be come to: then none may have been left out.
  const isWhole = hasAllPoints && rounds >= points.length && round === undefined && !onlyChecks;
  const transport = options.transports[kind];
  const databases = await openDatabases(kind);
  try {
    const tally = await runRounds(databases, {
      ...options,
      points,
      rounds,
      transport,
      lanes,
      ...(onlyChecks && { rounds: 0, lanes: 1 }),
      hasChecks: (isWhole && !options.replays) || onlyChecks,
      repeatWith: `${repeating(process.argv.slice(2))} --seed ${options.seed} --store ${isSplit ? "split" : kind} --transport ${transport}`,
      onRound: (line) => progress(isSplit ? `${kind}: ${line}` : line),
    });
    const where = kind === "sqlite" ? "SQLite, one replica" : "PostgreSQL, two replicas";
    const title = `${where}, ${transport === "http" ? "HTTP" : "Socket Mode"}`;
    process.stdout.write(`\n${reportOf(title, tally, (performance.now() - since) / 1000)}\n`);
    const never = isWhole ? neverKilled(tally, points) : [];
    if (never.length > 0) process.stdout.write(`  ! nobody was killed at: ${never.map(keyOf).join(", ")}\n`);
    return tally.found.length > 0 || never.length > 0;
  } finally {
    await databases.close();
  }
}

/** The arguments of this run that choose its rounds. */
function repeating(args: readonly string[]): string {
  const chosen = new Set(["--each", "--rounds", "--only", "--variant"]);
  return args.flatMap((arg, index) => (chosen.has(arg) ? [arg, args[index + 1] ?? ""] : [])).join(" ");
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

await runProgram({
  name: "The kill tests",
  longestMs: LONGEST_RUN_MS,
  usage,
  readOptions,
  main,
  atExit() {
    endAllReplicas();
    removeBundle();
  },
});

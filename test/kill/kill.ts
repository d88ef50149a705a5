import { runProgram } from "../support/program.ts";
import { endAllReplicas } from "./replicas.ts";
import { type Options, readOptions, type StoreKind, usage } from "./options.ts";
import { openDatabases } from "./databases.ts";
import { allPoints } from "./points.ts";
import { runRounds } from "./run.ts";
import { neverKilled, keyOf, tableOf } from "./tally.ts";

/** The kill tests: real replicas, ended with `kill -9` at every step from click to settled card. Ends by itself. */

const LONGEST_RUN_MS = 60 * 60_000;

async function main(options: Options): Promise<number> {
  process.stdout.write(`Kill tests, seed ${options.seed}, ${options.rounds} rounds per store\n`);
  let hasFailed = false;
  for (const kind of options.stores) hasFailed = (await runOn(kind, options)) || hasFailed;
  if (!options.expectsFailure) return hasFailed ? 1 : 0;
  process.stdout.write(
    hasFailed ? "It was found out, as it had to be.\n" : "Nothing was found, and something had to be.\n",
  );
  return hasFailed ? 0 : 1;
}

async function runOn(kind: StoreKind, options: Options): Promise<boolean> {
  const since = performance.now();
  // All points were to be come to: then none may have been left out.
  const isWhole = options.points.length === allPoints().length && options.rounds >= options.points.length;
  const databases = await openDatabases(kind);
  try {
    const tally = await runRounds(databases, {
      ...options,
      hasSpecials: isWhole && !options.replays,
      onRound: progress,
    });
    const title = kind === "sqlite" ? "SQLite, one replica" : "PostgreSQL, two replicas";
    process.stdout.write(`\n${tableOf(title, tally, (performance.now() - since) / 1000)}\n`);
    const never = isWhole ? neverKilled(tally) : [];
    if (never.length > 0) process.stdout.write(`  ! nobody was killed at: ${never.map(keyOf).join(", ")}\n`);
    return tally.found.length > 0 || never.length > 0;
  } finally {
    await databases.close();
  }
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
  atExit: endAllReplicas,
});

import { afterAll, expect, test } from "vitest";
import { endAllReplicas } from "./replicas.ts";
import { openDatabases } from "./databases.ts";
import type { Point } from "./points.ts";
import { runRounds } from "./run.ts";
import type { Tally } from "./tally.ts";
import { notFullRun } from "../support/full-run.ts";

// A handful of what `npm run test:kill` does hundreds of times, also on PostgreSQL and while Slack misbehaves.
/** A wait ends by itself when nothing moves; this is for what hangs. */
const LONGEST_MS = 30 * 60_000;

const MOST_REPLAYS = 20;

afterAll(endAllReplicas);

type How = { readonly replays: boolean; readonly seed?: number };

async function run(points: readonly Point[], how: How): Promise<Tally> {
  const databases = await openDatabases("sqlite");
  try {
    return await runRounds(databases, {
      seed: 1,
      ...how,
      points,
      rounds: points.length,
      lanes: Math.min(2, points.length),
      transport: "http",
      hasChecks: false,
      repeatWith: "# the rounds of kill.test.ts",
    });
  } finally {
    await databases.close();
  }
}

test(
  "a bot that is killed on the way goes on after its restart, and does nothing twice",
  { timeout: LONGEST_MS },
  async () => {
    const tally = await run(
      [
        { name: "accept", when: "after" },
        { name: "service: write", when: "during" },
      ],
      { replays: false },
    );

    expect(tally.found).toEqual([]);
    expect(tally.kills.size).toBeGreaterThanOrEqual(2);
  },
);

test(
  "a bot that sends again what it had sent before it was killed is found out",
  { timeout: LONGEST_MS },
  async ({ skip }) => {
    skip(notFullRun !== undefined, notFullRun);
    // It shows in about half of the rounds: when the next replica is quick, it may settle before it would send again.
    for (let seed = 1; seed <= MOST_REPLAYS; seed += 1) {
      const tally = await run([{ name: "service: write", when: "after" }], { replays: true, seed });
      if (tally.faults.has("double executions")) return;
    }
    expect.unreachable(`${MOST_REPLAYS} rounds, and nothing was sent twice`);
  },
);

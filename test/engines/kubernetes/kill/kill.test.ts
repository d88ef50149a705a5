import { afterAll, describe, expect, test } from "vitest";
import { because, testCluster } from "../../../support/cluster.ts";
import { isLong } from "../../support/long.ts";
import { killServiceProcesses } from "../../../support/service-process.ts";
import { changes } from "./changes.ts";
import { openLane } from "./lane.ts";
import { playRounds } from "./rounds.ts";

const cluster = await testCluster();
const { noPods, removeNamespaces } = cluster;
const rounds = isLong ? 18 : 3;
const seed = Number(process.env["GANTRY_TEST_SEED"] ?? "1");

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

afterAll(async () => {
  killServiceProcesses();
  await removeNamespaces();
});

/** Each lane waits for pods most of the time. */
const lanes = [0, 1, 2].map((lane) => changes.filter((_, at) => at % 3 === lane));

describe.skipIf(noPods !== undefined)(
  `kill -9 of the service during changes${because(noPods)}`,
  { concurrent: true },
  () => {
    test.each(lanes.map((of, lane) => [of.map(({ name }) => name).join(", "), { of, seed: seed + lane }] as const))(
      `%s: in ${rounds} rounds nothing is lost, doubled or orphaned`,
      { timeout: 30 * 60_000 },
      async (_, playing) => {
        await using lane = await openLane(cluster);

        const outcomes = await playRounds(lane, { ...playing, rounds, onRound: print });

        expect(outcomes.flatMap(({ violations }) => violations)).toEqual([]);
        expect(outcomes).toHaveLength(rounds);
      },
    );
  },
);

import { afterAll, describe, expect, test } from "vitest";
import { because, testCluster } from "../../../support/cluster.ts";
import { isLong } from "../../support/long.ts";
import { killServiceProcesses } from "../../support/service-process.ts";
import { openLane } from "./lane.ts";
import { playRounds, tableOf } from "./rounds.ts";

const cluster = await testCluster();
const { noPods, removeNamespaces } = cluster;
const rounds = isLong ? 54 : 9;
const seed = Number(process.env["GANTRY_TEST_SEED"] ?? "1");

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

afterAll(async () => {
  killServiceProcesses();
  await removeNamespaces();
});

describe.skipIf(noPods !== undefined)(`kill -9 of the service during changes${because(noPods)}`, () => {
  test(`in ${rounds} rounds nothing is lost, doubled or orphaned`, { timeout: 30 * 60_000 }, async () => {
    await using lane = await openLane(cluster);

    const outcomes = await playRounds(lane, { rounds, seed, onRound: print });

    print(`kill -9, seed ${seed}\n${tableOf(outcomes)}`);
    expect(outcomes.flatMap(({ violations }) => violations)).toEqual([]);
    expect(outcomes).toHaveLength(rounds);
  });
});

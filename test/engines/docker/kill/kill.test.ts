import { afterAll, describe, expect, test } from "vitest";
import { testDaemons } from "../../../support/docker.ts";
import { isLong } from "../../support/long.ts";
import { killServiceProcesses } from "../../../support/service-process.ts";
import { openLane } from "../support/lane.ts";
import { playRounds } from "./rounds.ts";

const rounds = isLong ? 50 : 3;
const seed = Number(process.env["GANTRY_TEST_SEED"] ?? "1");

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

afterAll(killServiceProcesses);

for (const daemon of await testDaemons()) {
  const options = { concurrent: true, skip: daemon.missing !== undefined };
  describe(`kill -9 of the service during changes: ${daemon.title}`, options, () => {
    test(`in ${rounds} rounds nothing is lost, doubled or orphaned`, { timeout: 40 * 60_000 }, async () => {
      await using lane = await openLane(daemon);

      const outcomes = await playRounds(lane, {
        rounds,
        seed,
        onRound: (line) => print(`${daemon.kind}, seed ${seed}: ${line}`),
      });

      expect(outcomes.flatMap(({ violations }) => violations)).toEqual([]);
      expect(outcomes).toHaveLength(rounds);
    });
  });
}

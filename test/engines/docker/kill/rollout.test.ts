import { afterAll, describe, expect, test } from "vitest";
import { testDaemons } from "../../../support/docker.ts";
import { killServiceProcesses } from "../../../support/service-process.ts";
import { openLane } from "../support/lane.ts";
import { changes } from "./changes.ts";
import { type Moment, playRound, rehearse } from "./round.ts";
import { lineOf } from "./rounds.ts";

afterAll(killServiceProcesses);

const deploy = changes.find(({ name }) => name === "deploy");

for (const daemon of await testDaemons()) {
  const options = { concurrent: true, skip: daemon.missing !== undefined };
  describe(`kill -9 of the service at each step of a rollout: ${daemon.title}`, options, () => {
    // The first of two instances: the second takes the same steps.
    test("no instance is lost, doubled or orphaned", { timeout: 10 * 60_000 }, async () => {
      await using lane = await openLane(daemon);
      if (deploy === undefined) throw new Error("no deploy");
      const { writes } = await rehearse(lane, { change: deploy, name: "rehearsal" });
      const steps = Array.from({ length: Math.ceil(writes / 2) }, (_, at) => at + 1);
      const moments = steps.flatMap((write): Moment[] => [
        { write, when: "before" },
        { write, when: "after" },
      ]);

      const violations: string[] = [];
      for (const [at, moment] of moments.entries()) {
        const outcome = await playRound(lane, { name: `step${at}`, change: deploy, moment, downMs: 0 });
        process.stdout.write(`${daemon.kind}: ${lineOf(outcome)}\n`);
        violations.push(...outcome.violations.map((each) => `${outcome.killedAt}: ${each}`));
      }

      expect(violations).toEqual([]);
    });
  });
}

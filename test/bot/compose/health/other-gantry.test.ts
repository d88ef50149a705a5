import { expect, test } from "vitest";
import { watchForOtherGantry } from "../../../../src/bot/compose/health/replica-report.ts";
import type { LiveReplica, ReplicaReport } from "../../../../src/bot/health/facts.ts";
import { createLog } from "../../../../src/platform/log.ts";
import { stillClock } from "../../../support/test-clock.ts";

function replica(links: number): LiveReplica {
  const report = { transport: { kind: "socket", links: Array.from({ length: links }, () => 1) } } as ReplicaReport; // what is read of it
  return { id: `r-${links}`, report };
}

type Now = {
  /** Connections that aren't this replica's, as Slack counted them last. */
  readonly counted: number | undefined;
  /** What a new count finds; undefined where Slack doesn't count. */
  readonly counts: number | undefined;
  readonly others: readonly LiveReplica[];
};

function watched(first: Partial<Now>) {
  const clock = stillClock();
  const lines: string[] = [];
  let now: Now = { counted: 0, counts: 0, others: [], ...first };
  let recounts = 0;
  const watching = watchForOtherGantry({
    transport: {
      others: {
        counted: () => now.counted,
        async recount() {
          recounts += 1;
          now = { ...now, counted: now.counts ?? now.counted };
          return now.counts;
        },
      },
    },
    store: { otherReplicas: async () => now.others },
    log: createLog({ level: "warn", secrets: [], to: { write: (line) => void lines.push(line) } }),
    clock,
  });
  watching.start();
  return {
    ...watching,
    recounts: () => recounts,
    warnings: () => lines.length,
    becomes: (next: Partial<Now>) => void (now = { ...now, ...next }),
    passMinutes: (minutes: number) => clock.passMs(minutes * 60_000),
  };
}

test("connections that no replica has are another Gantry's when they are counted twice, and until they are gone", async () => {
  const world = watched({ counted: 4, counts: 4, others: [replica(2)] });

  await world.passMinutes(5);
  expect([world.connections(), world.recounts()]).toEqual([undefined, 1]);
  await world.passMinutes(5);
  expect(world.connections()).toBe(2);
  await world.passMinutes(5);
  expect([world.connections(), world.warnings()]).toEqual([2, 1]);

  world.becomes({ counts: undefined });
  await world.passMinutes(5);
  expect(world.connections()).toBe(2);

  world.becomes({ counts: 2 });
  await world.passMinutes(5);
  expect([world.connections(), world.recounts()]).toEqual([undefined, 5]);
  await world.passMinutes(30);
  expect([world.connections(), world.recounts()]).toEqual([undefined, 5]);
});

test("a replica that has stopped since the last count costs one new count, and nothing is said", async () => {
  const world = watched({ counted: 2, counts: 0 });

  await world.passMinutes(30);

  expect([world.connections(), world.recounts(), world.warnings()]).toEqual([undefined, 1, 0]);
});

test("one count that falls into the start of a replica is no sign, and neither are two with another in between", async () => {
  const world = watched({ counted: 2, counts: 2 });

  await world.passMinutes(5);
  world.becomes({ others: [replica(2)] });
  await world.passMinutes(5);
  world.becomes({ counted: 4, counts: 4 });
  await world.passMinutes(5);

  expect([world.connections(), world.recounts()]).toEqual([undefined, 2]);
});

test("an old count isn't taken for a new one while Slack doesn't count", async () => {
  const world = watched({ counted: 2, counts: undefined });

  await world.passMinutes(30);

  expect([world.connections(), world.recounts()]).toEqual([undefined, 6]);
});

test.each<[string, Partial<Now>]>([
  ["another replica has them", { counted: 2, others: [replica(2)] }],
  ["a replica of another version may have them", { counted: 2, others: [{ id: "old", report: undefined }] }],
  ["Slack hasn't counted", { counted: undefined }],
])("nothing is counted again and nothing is said: %s", async (_, first) => {
  const world = watched({ counts: 9, ...first });

  await world.passMinutes(30);

  expect([world.connections(), world.recounts(), world.warnings()]).toEqual([undefined, 0, 0]);
});

test("after a stop nothing is counted any more", async () => {
  const world = watched({ counted: 2, counts: 2 });

  world.stop();
  await world.passMinutes(30);

  expect(world.recounts()).toBe(0);
});

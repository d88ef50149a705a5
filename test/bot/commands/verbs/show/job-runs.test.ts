import { expect, test } from "vitest";
import type { HistoryEvent } from "../../../../../src/bot/changes/history-event.ts";
import { drawn } from "../../../views/support/drawn.ts";
import { job } from "../../../views/support/workloads.ts";
import { answerTo } from "../../support/script.ts";
import { event, waiting } from "../../support/stored.ts";

const workload = { kind: "job", region: "us", name: "report", uid: "u1" } as const; // a literal kind

/** An earlier job of that name, which ran so long. */
function run(seq: number, afterMs: number): HistoryEvent {
  const health = { kind: "reached", line: "complete", excerpt: [], afterMs } as const; // a literal kind
  const request = { ...waiting, state: "done", op: "createJob", verb: "create", workload, health } as const; // literal words
  return event(seq, { kind: "done", workload, verb: "create", request });
}

const running = job("report", { startTime: "2026-11-21T11:50:00Z", active: 1 });

test("a running job says when it started and how long such a job usually takes", async () => {
  const events = [run(9, 300_000), run(8, 200_000), run(7, 240_000)];

  const text = drawn(await answerTo("show job/report", { jobs: [running], events }));

  expect(text).toMatch(/Started .*Usually takes 4 min \(3 runs so far\)/u);
});

test("from one run nothing is usual, and a job that is complete says how long it took", async () => {
  const complete = job("report", {
    startTime: "2026-11-21T11:50:00Z",
    completionTime: "2026-11-21T11:55:00Z",
    succeeded: 1,
    conditions: [{ type: "Complete", status: "True" }],
  });

  const text = drawn(await answerTo("show job/report", { jobs: [complete], events: [run(9, 300_000)] }));

  expect(text).toContain("took 5 min");
  expect(text).not.toMatch(/Started|Usually/u);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { answerShapes, type Job, type Service } from "../../src/api/answers.ts";
import { jobStatus, serviceStatus, type Level } from "../../src/api/workload-status.ts";
import type { Change, Outcome } from "../../src/changes/change.ts";
import { lookAtJob, watchHealth } from "../../src/changes/health.ts";
import type { StoredChange } from "../../src/changes/stored-change.ts";
import { changeCard } from "../../src/views/cards/change-card.ts";
import { scripted } from "../changes/support/scripted.ts";
import { newJob, newService, plain, toFour } from "../changes/support/changes.ts";
import { cases } from "../support/full-run.ts";
import { drawn } from "./support/drawn.ts";
import { ended, run } from "./support/stored-changes.ts";

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const time = fc.nat(600).map((seconds) => new Date(Date.parse("2026-11-21T12:00:00Z") + seconds * 1000).toISOString());

const lastState = fc.record({
  reason: maybe(fc.constantFrom("OOMKilled", "Error")),
  exit_code: maybe(fc.constantFrom(2, 137)),
  finished_at: maybe(time),
});

const service: fc.Arbitrary<Service> = fc
  .record({
    status: maybe(fc.constantFrom("Running", "Starting", "Updating", "Failed", "Stopped", "CrashLoopBackOff", "Odd")),
    message: maybe(fc.constantFrom("exited with code 137", "the image can't be pulled")),
    restart_count: maybe(fc.nat(8)),
    last_state: maybe(lastState),
    ready_instances: maybe(fc.nat(4)),
    target_instance_size: maybe(fc.nat(4)),
    restarts: maybe(
      fc.record({
        count: maybe(fc.nat(8)),
        first_at: maybe(time),
        last_at: maybe(time),
        last_reason: maybe(fc.constant("exited")),
      }),
    ),
  })
  .map((fields) => answerShapes.getService.parse({ name: "web", uid: "u1", ...fields }));

const job: fc.Arbitrary<Job> = fc
  .record({
    failed: maybe(fc.nat(4)),
    active: maybe(fc.nat(1)),
    startTime: maybe(time),
    completionTime: maybe(time),
    conditions: maybe(
      fc.array(
        fc.record({
          type: fc.constantFrom("Failed", "Complete", "Suspended", "Odd"),
          status: fc.constantFrom("True", "False"),
          message: maybe(fc.constantFrom("exit code 2", "the deadline was exceeded")),
        }),
        { maxLength: 2 },
      ),
    ),
  })
  .chain((status) =>
    fc
      .record({
        restart_count: maybe(fc.nat(4)),
        last_state: maybe(lastState),
        message: maybe(fc.constantFrom("exit code 2", "ImagePullBackOff: not found")),
      })
      .map((unwell) => answerShapes.getJob.parse({ metadata: { name: "nightly", uid: "j1" }, status, ...unwell })),
  );

const changes: readonly Change[] = [
  toFour,
  newService(),
  plain("restartService"),
  plain("startService"),
  plain("stopService"),
];
const outcomes: readonly Outcome[] = [
  { kind: "done", after: undefined, alsoMoved: [] },
  { kind: "asked", after: undefined, why: "Not visible yet." },
];

/** The card after the bot has watched the workload, which answers the same at every look. */
async function cardAfter(change: Change, outcome: Outcome, workload: Service | Job): Promise<string> {
  const { api } = scripted(({ op }) => (op === "getService" || op === "getJob" ? workload : []));
  let nowMs = 0;
  const deps = {
    api,
    signal: new AbortController().signal,
    nowMs: () => nowMs,
    wait: async (ms: number) => void (nowMs += ms),
    redact: async (lines: readonly string[]) => lines,
  };
  const isJob = change.call.op === "createJob";
  const seen = isJob
    ? await lookAtJob(change, { uid: undefined, ageMs: 60_000 }, deps)
    : await watchHealth(change, deps);
  const followed: Partial<StoredChange> = seen.kind === "watching" ? { progress: seen } : { health: seen };
  const { workload: of, call, diff } = change;
  const stored = ended("done", { op: call.op, verb: "any", workload: of, diff, ending: run(outcome), ...followed });
  return drawn(changeCard({ change: stored, canUndo: false }));
}

/** The best that a card may claim of a workload at this level. */
const allowed: Readonly<Record<Level, RegExp>> = {
  healthy: /^(?:✅|🔄|🟡)/u,
  idle: /^(?:✅|🟡)/u,
  busy: /^(?:🔄|🟡)/u,
  failing: /^(?:🔴|🟡|❌)/u,
};

const settings = { numRuns: Math.min(cases, 2_000) };

test("a card is never rosier than its service", async () => {
  const any = fc.tuple(fc.constantFrom(...changes), fc.constantFrom(...outcomes), service);

  await fc.assert(
    fc.asyncProperty(any, async ([change, outcome, web]) => {
      const card = await cardAfter(change, outcome, web);
      const { level } = serviceStatus(web);
      expect(card).toMatch(allowed[level]);
      // 🔄 is a finished restart here, and nothing is finished while the service isn't well.
      if (level === "busy") expect(card).toMatch(/^🟡/u);
      const isCounted = web.ready_instances !== undefined && web.target_instance_size !== undefined;
      const counted = /(\d+) of (\d+) running/u.exec(card);
      if (counted !== null) {
        expect(isCounted).toBe(true);
        expect(counted.slice(1)).toEqual([String(web.ready_instances), String(web.target_instance_size)]);
      }
    }),
    settings,
  );
});

test("a card is never rosier than its job", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...outcomes), job, async (outcome, nightly) => {
      const card = await cardAfter(newJob, outcome, nightly);
      const { level, words } = jobStatus(nightly);
      expect(card.startsWith("❌")).toBe(level === "failing");
      expect(card.startsWith("✅")).toBe(words === "complete");
      expect(card.startsWith("🔄")).toBe(level === "healthy");
    }),
    settings,
  );
});

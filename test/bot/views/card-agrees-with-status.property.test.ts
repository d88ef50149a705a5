import { redactLines } from "../../../src/bot/logs/redact.ts";
import { asRead } from "../../support/as-read.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { answerShapes, type Job, type Service } from "../../../src/api/answers.ts";
import { jobStatus, serviceStatus, type Level } from "../../../src/api/workload-status.ts";
import type { Change, Outcome } from "../../../src/bot/changes/change.ts";
import { pollJob } from "../../../src/bot/changes/health.ts";
import type { StoredChange } from "../../../src/bot/changes/stored-change.ts";
import { changeCard } from "../../../src/bot/views/cards/change-card.ts";
import { followed } from "../changes/support/followed.ts";
import { scripted } from "../changes/support/scripted.ts";
import { newJob, newService, plain, toFour } from "../changes/support/changes.ts";
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
  .map((fields) => asRead(answerShapes.getService.parse({ name: "web", uid: "u1", ...fields })));

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
      .map((unwell) =>
        asRead(answerShapes.getJob.parse({ metadata: { name: "nightly", uid: "j1" }, status, ...unwell })),
      ),
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

const drawnWith = ({ workload, call, diff }: Change, outcome: Outcome, more: Partial<StoredChange>): string => {
  const change = ended("done", { op: call.op, verb: "any", workload, diff, ending: run(outcome), ...more });
  return drawn(changeCard({ change, canUndo: false }));
};

/** The cards from the first look at the service to the last, which answers the same each time. */
async function cardsOf(change: Change, outcome: Outcome, service: Service) {
  const isConfirmed = outcome.kind === "done";
  const {
    looks,
    outcome: shown,
    calls,
  } = await followed(change, { service: () => service, isConfirmed, log: () => [] });
  const cards = looks.map(({ health }, at) =>
    drawnWith(change, shown ?? outcome, at === looks.length - 1 ? { health } : { progress: health }),
  );
  return { cards, calls };
}

/** The card after a look at the job. */
async function cardOfJob(outcome: Outcome, job: Job): Promise<string> {
  const { api } = scripted(({ op }) => (op === "getJob" ? job : []));
  const redact = async (lines: readonly string[]) => redactLines(lines);
  const deps = { api, signal: new AbortController().signal, clock: { now: () => new Date(0) }, redact };
  const seen = await pollJob(newJob, { uid: undefined, ageMs: 60_000 }, deps);
  return drawnWith(newJob, outcome, seen.kind === "watching" ? { progress: seen } : { health: seen });
}

/** The best that a card may claim of a workload at this level. */
const allowed: Readonly<Record<Level, RegExp>> = {
  // 🔄 is a job that runs.
  healthy: /^(?:✅|🔄|🟡)/u,
  idle: /^(?:✅|🟡)/u,
  busy: /^🟡/u,
  failing: /^(?:🔴|🟡|❌)/u,
};

test("a card is never rosier than its service", async () => {
  const any = fc.tuple(fc.constantFrom(...changes), fc.constantFrom(...outcomes), service);

  await fc.assert(
    fc.asyncProperty(any, async ([change, outcome, web]) => {
      const { level } = serviceStatus(web);
      const { cards, calls } = await cardsOf(change, outcome, web);
      expect(calls.length).toBeLessThanOrEqual(5);
      for (const [at, card] of cards.entries()) {
        // Somebody changed the service again: the card says only that, not the current status.
        if (/^⚪️ .* meanwhile$/mu.test(card)) continue;
        expect(card).toMatch(allowed[level]);
        expect(card).not.toMatch(/^🔄/u);
        if (level === "busy") expect(card).toMatch(/^🟡/u);
        // It has to prove itself first.
        if (at === 0 && level === "healthy" && web.target_instance_size !== 0) expect(card).toMatch(/^🟡/u);
        const isCounted = web.ready_instances !== undefined && web.target_instance_size !== undefined;
        const counted = /(\d+) of (\d+) (?:running|ready)/u.exec(card);
        if (counted === null) continue;
        expect(isCounted).toBe(true);
        expect(counted.slice(1)).toEqual([String(web.ready_instances), String(web.target_instance_size)]);
      }
    }),
  );
});

test("a card is never rosier than its job", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...outcomes), job, async (outcome, nightly) => {
      const card = await cardOfJob(outcome, nightly);
      const { level, words, cause } = jobStatus(nightly);
      expect(card.startsWith("❌")).toBe(cause === "job-failed");
      expect(card.startsWith("🔴")).toBe(level === "failing" && cause !== "job-failed");
      expect(card.startsWith("✅")).toBe(words === "complete");
      expect(card.startsWith("🔄")).toBe(level === "healthy");
    }),
  );
});

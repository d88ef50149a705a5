import fc from "fast-check";
import { expect, test } from "vitest";
import { answerShapes, type Service } from "../../../src/api/answers.ts";
import { type Level, serviceStatus, statusSentence } from "../../../src/api/workload-status.ts";
import type { Change } from "../../../src/bot/changes/change.ts";
import { changeCard } from "../../../src/bot/views/cards/change-card.ts";
import { incidentCard } from "../../../src/bot/views/cards/incident-card.ts";
import { historyText } from "../../../src/bot/views/cards/history-line.ts";
import { afterName, dotOf } from "../../../src/bot/views/kit/health.ts";
import { compare } from "../../../src/bot/watch/compare.ts";
import { seenService } from "../../../src/bot/watch/incident.ts";
import { asRead } from "../../support/as-read.ts";
import { toFour, update } from "../changes/support/changes.ts";
import { followed } from "../changes/support/followed.ts";
import { answerTo } from "../commands/support/script.ts";
import { cardOf } from "./support/alerts.ts";
import { drawn } from "./support/drawn.ts";
import { ended, event, run } from "./support/stored-changes.ts";

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const time = fc.nat(600).map((seconds) => new Date(Date.parse("2026-11-21T11:45:00Z") + seconds * 1000).toISOString());

const messages = [
  "web-1 exited with code 137",
  "no node has room",
  "Unschedulable: 0/3 nodes are available: 3 Insufficient memory (web-1)",
  'ErrImagePull: image "shop/web:9" not found (web-1)',
  "web-1 is waiting: pulling the image shop/web:9",
  "ErrImagePull: waiting for the registry: i/o timeout (web-1)",
  'CreateContainerConfigError: secret "db" not found (web-1)',
  "FailedMount: secret “db” not found (web-1)",
  "can't create its instances: exceeded quota",
  "Liveness probe failed: HTTP 500",
  "CrashLoopBackOff: back-off 5m0s restarting failed container",
];

const service: fc.Arbitrary<Service> = fc
  .record({
    status: maybe(fc.constantFrom("Running", "Starting", "Updating", "Failed", "Stopped", "CrashLoopBackOff", "Odd")),
    status_since: maybe(time),
    message: maybe(fc.constantFrom(...messages)),
    restart_count: maybe(fc.nat(8)),
    last_state: maybe(
      fc.record({
        reason: maybe(fc.constantFrom("OOMKilled", "Error")),
        exit_code: maybe(fc.constantFrom(2, 137)),
        finished_at: maybe(time),
      }),
    ),
    ready_instances: maybe(fc.nat(4)),
    restarts: maybe(fc.record({ count: maybe(fc.nat(8)), first_at: maybe(time), last_at: maybe(time) })),
    rollout: maybe(
      fc.record({
        state: fc.constantFrom("progressing", "stuck", "done"),
        from: maybe(fc.constant(1)),
        ready: maybe(fc.nat(4)),
        target: maybe(fc.constant(4)),
        old_ready: maybe(fc.nat(4)),
        message: maybe(fc.constantFrom("no such image", "exit code 2")),
      }),
    ),
  })
  // As it was asked for, so that the card judges how it runs.
  .map((fields) =>
    asRead(answerShapes.getService.parse({ name: "web", uid: "u1", target_instance_size: 4, ...fields })),
  );

const deploy = update({ containers: [{ name: "web", image: "shop/web:9" }] });
const done = { kind: "done", after: undefined, alsoMoved: [] } as const; // a literal kind

/** The card of a change, and its line in the history, as they stand a few seconds later. */
async function cardAndHistory(
  made: Change,
  web: Service,
): Promise<readonly [card: string, history: string, level: Level | undefined]> {
  const { looks } = await followed(made, { service: () => web, log: () => [] });
  const { health: progress } = looks.find(({ atMs }) => atMs > 10_000) ?? looks[0] ?? {};
  const { call, workload, diff } = made;
  const change = ended("done", { op: call.op, verb: "scale", workload, diff, ending: run(done), progress });
  const line = historyText(event("done", { request: change }), {
    now: new Date("2026-11-21T12:00:00Z"),
    defaultRegion: "beijing1",
    detail: "full",
  });
  return [drawn(changeCard({ change, canUndo: false })), line, progress?.level];
}

/** The card of the incident that a watch finds; undefined when it finds none. */
async function incidentOf(web: Service): Promise<string | undefined> {
  const now = new Date("2026-11-21T12:00:00Z");
  const where = { teamId: "T1", account: "gantry", region: "beijing1", kind: "service" } as const; // a literal kind
  const { incidents } = await compare({
    ...where,
    now,
    before: new Map(),
    incidents: [],
    seen: [seenService(web)],
    isComplete: true,
    unseenSince: undefined,
    newId: () => "i1",
  });
  if (incidents.length === 0) return undefined;
  const found = incidents.map(({ incident }) => incident);
  return incidentCard(cardOf(found)).text;
}

test("list, show, why, card, incident and history give a service one dot and one wording", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(toFour, deploy), service, async (made, web) => {
      const status = serviceStatus(web);
      const { cause, words } = status;
      const dot = dotOf(status);
      const script = { services: [web] };
      const [list, show, why] = await Promise.all(
        ["list", "show service/web", "why service/web"].map(async (text) => drawn(await answerTo(text, script))),
      );
      expect(list).toContain(`${dot} web · ${words}`);
      expect(show).toContain(`${dot} web · ${words}`);
      expect(why).toMatch(new RegExp(`^${dot} web`, "u"));
      const incident = await incidentOf(web);
      expect(incident === undefined).toBe(cause === undefined);
      if (cause === undefined) return;
      const sentence = statusSentence(status);
      expect(why).toContain(`${dot} ${afterName("web", sentence)}`);
      expect(incident).toContain(`${dot} ${afterName("web", sentence)}`);
      const [card, history, level] = await cardAndHistory(made, web);
      expect([card.slice(0, 2), level]).toEqual([dot, status.level]);
      expect(card).toContain(sentence);
      expect(history).toMatch(new RegExp(`^${dot} `, "u"));
      expect(history).toContain(sentence);
    }),
    { numRuns: 200 },
  );
});

import { expect, test } from "vitest";
import { createMetrics, createReading } from "../../../../src/bot/compose/observing/metrics.ts";
import { createObserver } from "../../../../src/bot/compose/observing/observer.ts";
import { machineClock } from "../../../../src/platform/clock.ts";
import { stillClock } from "../../../support/test-clock.ts";
import { StoreError } from "../../../../src/bot/errors.ts";
import { approvalTown } from "../../../support/approval-town.ts";
import { openPolicy } from "../../../support/open-policy.ts";
import { clicks, says } from "../../../support/speak.ts";

const nothing = { running: 0, waiting: 0, oldestMs: 0 };
const idle = {
  people: nothing,
  decisions: nothing,
  due: nothing,
};

/** The samples of a text, by name and labels. */
function samplesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );
}

test("what people do is counted by kind, verb and outcome, down to the calls that it takes", async () => {
  const metrics = createMetrics(machineClock);
  await using town = await approvalTown({
    observer: createObserver({ metrics, tracing: undefined, clock: machineClock }),
  });
  const { developer, approver } = town;
  for (const words of ["list", "scale nosuch 2", "lisst", "restart web"])
    await says(town, developer, `/gantry ${words}`);

  const waiting = samplesOf(await metrics.text());
  expect(waiting.get("gantry_approvals_waiting")).toBe(1);
  expect(waiting.get("gantry_approvals_oldest_seconds")).toBeGreaterThanOrEqual(0);
  await clicks(town, approver, "Approve");
  const samples = samplesOf(await metrics.text());
  const interaction = (kind: string, verb: string, outcome: string): number | undefined =>
    samples.get(`gantry_interactions_total{kind="${kind}",verb="${verb}",outcome="${outcome}"}`);

  expect(interaction("command", "list", "ok")).toBe(1);
  expect(interaction("command", "scale", "refused")).toBe(1);
  expect(interaction("command", "none", "refused")).toBe(1);
  expect(interaction("command", "restart", "ok")).toBe(1);
  expect(interaction("button", "approve", "ok")).toBe(1);
  expect(samples.get('gantry_ack_seconds_count{kind="command"}')).toBe(4);
  expect(samples.get('gantry_answer_seconds_count{verb="restart"}')).toBe(1);
  for (const state of ["requested", "approved", "sent", "done"]) {
    expect(samples.get(`gantry_changes_total{state="${state}"}`), state).toBe(1);
  }
  expect(samples.get('gantry_changes_total{state="unknown"}')).toBe(0);
  expect(samples.get('gantry_change_run_seconds_count{outcome="done"}')).toBe(1);
  expect(samples.get('gantry_workload_api_calls_total{operation="restartService",status="200"}')).toBe(1);
  expect(samples.get('gantry_workload_api_calls_total{operation="getService",status="404"}')).toBe(1);
  expect(samples.get('gantry_slack_calls_total{method="chat.postMessage",status="ok"}')).toBeGreaterThanOrEqual(1);
  expect(samples.get('gantry_store_calls_total{statement="insertChange",status="ok"}')).toBe(1);
  expect(samples.get('gantry_lane_running{lane="people"}')).toBe(0);
  expect(samples.get("gantry_store_up")).toBe(1);
  const text = [...samples.keys()].join("\n");
  for (const secret of ["U0DANA", "C0OPS", "nosuch", "web"]) expect(text).not.toContain(secret);
});

test("a request whose outcome nobody knows counts as unknown, not as failed", async () => {
  const metrics = createMetrics(machineClock);
  await using town = await approvalTown({
    observer: createObserver({ metrics, tracing: undefined, clock: machineClock }),
    policy: openPolicy,
    via: async (request, send) => {
      if (!request.url.endsWith("/restart")) return send(request);
      throw new TypeError("fetch failed");
    },
  });
  await says(town, town.developer, "/gantry restart web");
  const samples = samplesOf(await metrics.text());

  expect(samples.get('gantry_changes_total{state="doubted"}')).toBe(1);
  expect(samples.get('gantry_changes_total{state="unknown"}')).toBe(1);
  expect(samples.get('gantry_changes_total{state="failed"}')).toBe(0);
  expect(samples.get('gantry_workload_api_calls_total{operation="restartService",status="unreachable"}')).toBe(1);
});

test("while the database is away, what it knows is missing from the metrics, and the rest is there", async () => {
  const metrics = createMetrics(machineClock);
  let isAway = false;
  const trouble = () => Promise.resolve(undefined);
  metrics.show({
    lanes: () => idle,
    links: () => [1_000],
    trouble,
    waiting: () =>
      isAway
        ? Promise.reject(new StoreError("away"))
        : Promise.resolve({ count: 2, oldestMs: 90_000, watchLagMs: 4_000 }),
  });
  const before = samplesOf(await metrics.text());
  isAway = true;
  const cached = samplesOf(await metrics.text());

  expect(before.get("gantry_approvals_oldest_seconds")).toBe(90);
  expect(before.get("gantry_socket_connections")).toBe(1);
  expect(before.get("gantry_watch_lag_seconds")).toBe(4);
  expect(cached.get("gantry_approvals_waiting")).toBe(2);

  const readOnly = createMetrics(machineClock);
  const away = () => Promise.resolve(new StoreError("read-only"));
  const waiting = { count: 2, oldestMs: 90_000, watchLagMs: 4_000 };
  readOnly.show({ lanes: () => idle, links: undefined, waiting: () => Promise.resolve(waiting), trouble: away });
  const full = samplesOf(await readOnly.text());

  expect(full.get("gantry_store_up")).toBe(0);
  expect(full.get("gantry_approvals_waiting")).toBe(2);

  const other = createMetrics(machineClock);
  other.show({
    lanes: () => idle,
    links: undefined,
    waiting: () => Promise.reject(new StoreError("away")),
    trouble: away,
  });
  const gone = samplesOf(await other.text());

  expect(gone.get("gantry_store_up")).toBe(0);
  expect(gone.has("gantry_approvals_waiting")).toBe(false);
  expect(gone.has("gantry_approvals_oldest_seconds")).toBe(false);
  expect(gone.has("gantry_watch_lag_seconds")).toBe(false);
  expect(gone.has("gantry_socket_connections")).toBe(false);
  expect(gone.get('gantry_lane_waiting{lane="people"}')).toBe(0);
});

test("a hundred scrapes at once cost one statement, and one that takes too long isn't asked twice", async () => {
  const clock = stillClock();
  let asked = 0;
  const slow = Promise.withResolvers<number>();
  const reading = createReading(() => {
    asked += 1;
    return asked === 1 ? Promise.resolve(7) : slow.promise;
  }, clock);
  const first = await Promise.all(Array.from({ length: 100 }, reading));
  await clock.passMs(5_000);
  const reads = [reading(), reading()];
  await clock.passMs(60_000);
  const late = await Promise.all(reads);
  const last = reading();
  await clock.passMs(500);
  const later = await last;
  slow.resolve(8);
  await slow.promise;
  const after = await reading();

  expect(first).toEqual(Array.from({ length: 100 }, () => 7));
  expect([...late, later]).toEqual([undefined, undefined, undefined]);
  expect(after).toBe(8);
  expect(asked).toBe(2);
});

import { pino } from "pino";
import { expect, test } from "vitest";
import type { NewHistoryEvent } from "../../../../src/bot/changes/history-event.ts";
import type { Alert, Incident } from "../../../../src/bot/watch/incident.ts";
import { takeAlert } from "../../../../src/bot/workflow/decide/take-alert.ts";
import type { Passed } from "../../../../src/bot/workflow/stored.ts";
import { bobHere, desk, openPolicy } from "../support/desk.ts";

/** Bob Ray clicks "I'm on it" on an alert about these workloads; what he reads, and what history and the log say. */
async function bobTakes(names: readonly (string | undefined)[], passed: Passed = "passed") {
  const { deps, reply } = await desk({ policy: openPolicy });
  const incidents = names.map((name) => ({ kind: "service", region: "beijing1", account: "acme", name }) as Incident); // all that is read of them
  const happened: NewHistoryEvent[] = [];
  const lines: string[] = [];
  const passAlert: typeof deps.store.passAlert = async (_alert, _passing, event) => {
    if (passed === "passed") happened.push(event);
    return passed;
  };
  const alert = incidents.length === 0 ? undefined : ({ incidents } as unknown as Alert); // all that is read of it
  const store = { ...deps.store, alertOf: () => Promise.resolve(alert), passAlert };
  const log = pino({ level: "info" }, { write: (line) => void lines.push(line) });
  await takeAlert({ ...deps, store, log }, { alertId: "a1", origin: bobHere, at: new Date(), reply });
  return { texts: reply.texts, happened, lines };
}

test("an alert that nobody has any more says that its button is old, and nothing is stored", async () => {
  const { texts, happened } = await bobTakes([]);

  expect(texts).toEqual([expect.stringContaining("Nothing was changed.")]);
  expect(happened).toEqual([]);
});

test("that somebody is on it is logged once, whoever clicks again", async () => {
  expect((await bobTakes(["web"])).lines.join("")).toContain('"kind":"taken"');
  expect((await bobTakes(["web"], "same")).lines).toEqual([]);
});

test.each([
  ["web", ["web"], { workload: { name: "web" }, result: "" }],
  ["the same one twice", ["web", "web"], { workload: undefined, result: "web" }],
  ["the workload API", [undefined], { workload: undefined, result: "the workload API" }],
  ["five of them", ["e", "d", "c", "b", "a"], { result: "a, b, c, d, e" }],
  ["more than five", ["f", "e", "d", "c", "b", "a"], { result: "a, b, c, d, e, 1 more workload" }],
])("history says who is on it, and on what: %s", async (_what, names, row) => {
  expect((await bobTakes(names)).happened).toMatchObject([{ kind: "taken", account: "acme", ...row }]);
});

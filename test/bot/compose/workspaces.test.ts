import { machineClock } from "../../../src/platform/clock.ts";
import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import { newKey, readKeyring, createSealer } from "../../../src/bot/accounts/seal.ts";
import { createApi } from "../../../src/api/client.ts";
import { readConfig } from "../../../src/bot/compose/config.ts";
import { createWorkspace, type Shared, workspaceStore } from "../../../src/bot/compose/workspaces/workspace.ts";
import { createLogPool } from "../../../src/bot/logs/threads/log-pool.ts";
import { defaultPolicy } from "../../../src/bot/policy/read-policy.ts";
import { createRepeats } from "../../../src/bot/slack/receive/delivery-memory.ts";
import { openSqlite } from "../../../src/platform/database/sqlite.ts";
import { openStore } from "../../../src/bot/store/open-store.ts";
import type { Tables } from "../../../src/bot/store/schema/tables.ts";
import { drainLimits, createLanes } from "../../../src/bot/workflow/inbox/lanes.ts";
import { createDropped } from "../../../src/bot/workflow/inbox/interaction.ts";

const log = pino({ level: "silent" });
const db = openSqlite<Tables>(":memory:");
const store = await openStore({ kind: "shared", db, flavour: "sqlite", replicaId: "a", log });
const logs = createLogPool({ clock: machineClock });
afterAll(async () => {
  await logs.close();
  await db.destroy();
});

const nothing = (): Promise<void> => Promise.resolve();
const shared: Shared = {
  slack: { transport: { kind: "http", signingSecret: "s" }, botToken: "xoxb-1" },
  api: createApi({ baseUrl: "http://service.invalid" }),
  account: undefined,
  accountMode: "fallback",
  policy: () => defaultPolicy,
  sealer: createSealer(readKeyring(newKey())),
  settings: readConfig({}).settings,
  store,
  log,
  clock: { ...machineClock, wait: nothing, patience: () => ({ cancel: () => undefined }) },
  dropped: createDropped(store, log),
  lanes: createLanes({ drain: drainLimits, onError: () => undefined, clock: machineClock }),
  logs,
  repeats: createRepeats(machineClock),
  report: () => Promise.reject(new Error("nobody asks")),
  start: () => undefined,
  deliver: () => Promise.resolve(true),
};
const installations = { removed: nothing, left: nothing, personChanged: nothing };

function workspace(teamId: string) {
  return createWorkspace(shared, {
    installations,
    access: { botToken: `xoxb-${teamId}` },
    installed: { teamId, userId: "UB" },
    store: workspaceStore(store, teamId),
    policy: () => defaultPolicy,
  });
}

/** What two workspaces may share, because it remembers nothing about either of them, other than by Slack's unique ids. */
const common = new Set([
  "clock",
  "deliver",
  "dropped",
  "installations",
  "lanes",
  "log",
  "repeats",
  "sealer",
  "settings",
  "start",
]);

const [one, other] = [workspace("T1"), workspace("T2")];

test.each(Object.keys(one.deps).map((name) => [name]))(
  "two workspaces have a %s of their own, or may share it",
  (name) => {
    const [ofOne, ofOther] = [one, other].map(({ deps }) => Reflect.get(deps, name) as unknown);

    expect(ofOne === ofOther).toBe(common.has(name));
  },
);

test("who the bot is there is known without asking Slack, and stays apart", () => {
  expect([one, other].map(({ identity }) => identity.bot().teamId)).toEqual(["T1", "T2"]);
});

test("calls of an account with the same name are counted apart", async () => {
  const { calls } = one.deps;
  await store.countCalls({ teamId: "T2", day: new Date().toISOString().slice(0, 10) }, new Map([["acme", 5]]));

  expect((await calls.today("acme")).count).toBe(0);
  expect((await other.deps.calls.today("acme")).count).toBe(5);
});

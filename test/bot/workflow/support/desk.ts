import { pino } from "pino";
import { onTestFinished } from "vitest";
import { newKey, readKeyring, createSealer } from "../../../../src/bot/accounts/seal.ts";
import { createLogPool } from "../../../../src/bot/logs/threads/log-pool.ts";
import { createDirectory } from "../../../../src/bot/commands/lookup/directory.ts";
import { readConfig } from "../../../../src/bot/compose/config.ts";
import { readPolicy } from "../../../../src/bot/policy/read-policy.ts";
import { createAccounts } from "../../../../src/bot/workflow/access/accounts.ts";
import { createEnvValues, workloadLogs } from "../../../../src/bot/workflow/access/env-values.ts";
import { createLanes } from "../../../../src/bot/workflow/inbox/lanes.ts";
import { createDropped, type Reply } from "../../../../src/bot/workflow/inbox/interaction.ts";
import { createDueLoop, type DueWork } from "../../../../src/bot/workflow/due.ts";
import { dueKinds, type DueKindName } from "../../../../src/bot/workflow/due-kinds.ts";
import type { People, WorkflowParts } from "../../../../src/bot/workflow/ports.ts";
import type { Profile } from "../../../../src/bot/workflow/stored.ts";
import { carryOnDue } from "../../../../src/bot/workflow/run/run.ts";
import { migratedInMemory } from "../../../support/migrated-database.ts";
import { othersApprove } from "../../../support/policies.ts";
import { type StillClock, stillClock } from "../../../support/test-clock.ts";
import { service } from "../../changes/support/execution.ts";
import { scripted } from "../../changes/support/scripted.ts";
import { ann, benchOver, bob, type Replica } from "../../store/contract/bench.ts";

export const openPolicy = "rules: [{ name: all, who: [members], does: [read, routine, disruptive], then: allow }]";

/** Ann Lee types in #general, of which Bob Ray is a member, too. */
export const annHere = { userId: ann.userId, teamId: "T1", channelId: "C1" };
export const bobHere = { ...annHere, userId: bob.userId };

type Wanted = {
  readonly policy?: string;
  /** The workload API instead of the one that has the service `web` with two instances. */
  readonly api?: ReturnType<typeof scripted>;
};

export type Desk = {
  readonly deps: WorkflowParts;
  readonly clock: StillClock;
  readonly store: Replica;
  /** Carries on all requests that are due by the database's clock. */
  readonly carryOn: () => Promise<void>;
  /** Another replica on its database. */
  readonly another: (name: string) => Promise<Replica>;
  /** Operations sent to the workload API, in order. */
  readonly sent: readonly string[];
  /** Ids of messages that were delivered, cards among them. */
  readonly drawn: readonly string[];
  /** A person's reply, which keeps what they read. */
  readonly reply: Reply & { readonly texts: readonly string[] };
  readonly signal: AbortSignal;
};

const refusal = { reason: "the channel is archived.", reference: "abcd1234" };
const closed = { kind: "blocked", by: "place", refusal } as const; // literals

/** The workflow on a database of its own, until the test is over. People, cards and the workload API are stand-ins at its ports. */
export async function desk({ policy = othersApprove, api = webOfTwo() }: Wanted = {}): Promise<Desk> {
  const bench = benchOver(async () => {
    const db = await migratedInMemory();
    return { where: { kind: "shared", db, flavour: "sqlite" }, db, remove: () => db.destroy() };
  });
  await bench.begin();
  onTestFinished(bench.end);
  const store = await bench.replica("a");
  const log = pino({ level: "silent" });
  const sealer = createSealer(readKeyring(newKey()));
  // The database has its own, which begins at the same time.
  const clock = stillClock(new Date());
  const drawn: string[] = [];
  const texts: string[] = [];
  const { settings } = readConfig({});
  const rules = readPolicy(policy, "policy.yaml");
  const deps: WorkflowParts = {
    store,
    log,
    sealer,
    settings: { ...settings, healthyAfterMs: 0 },
    policy: () => rules,
    people: town([ann, bob], clock),
    accounts: createAccounts({
      store,
      sealer,
      mode: "fallback",
      configured: { owner: { kind: "workspace" }, username: "acme", token: "t" },
      clock,
      inUse: () => undefined,
    }),
    api: { as: () => api.api, engine: () => Promise.resolve(undefined), changes: () => Promise.resolve(undefined) },
    calls: {
      today: () => Promise.resolve({ count: 0, since: clock.now() }),
      flush: () => Promise.resolve(),
    },
    sender: {
      answer: () => Promise.resolve(false),
      post: () => Promise.resolve(closed),
      update: () => Promise.resolve(closed),
      remove: () => Promise.resolve(),
      link: () => Promise.resolve(undefined),
    },
    start: (...started) => loop.start(...started),
    deliver: ({ id }) => Promise.resolve(drawn.push(id) > 0),
    responder: {
      answer: () => Promise.resolve(),
      tell: () => Promise.resolve(true),
      tellPatiently: () => Promise.resolve(),
      working: () => Promise.resolve(() => Promise.resolve()),
      showInForm: () => Promise.resolve(true),
      formReply: () => reply,
      refreshHome: () => undefined,
    },
    checkup: () => Promise.resolve([]),
    clock: { ...clock, patience: () => ({ cancel: () => undefined }), wait: () => Promise.resolve() },
    directory: createDirectory(clock),
    logs: workloadLogs(createLogPool({ clock }), createEnvValues(clock)),
    lanes: createLanes({ drain: { graceMs: 1, goodbyeMs: 1 }, onError: () => undefined, clock }),
    dropped: createDropped(store, log),
  };
  const notHere: DueWork = async () => "done";
  const others = Object.fromEntries(Object.keys(dueKinds).map((name) => [name, notHere])) as Record<
    DueKindName,
    DueWork
  >; // all names
  const loop = createDueLoop({
    store,
    lanes: deps.lanes,
    log,
    clock,
    work: { ...others, change: (due, ...attempt) => carryOnDue(deps, due, ...attempt) },
  });
  const reply = {
    texts,
    send: async ({ text }: { readonly text: string }) => void texts.push(text),
    requested: () => Promise.resolve(),
    undelivered: () => [],
    actsFor: () => undefined,
  };
  return {
    deps,
    clock,
    store,
    carryOn: async () => void (await loop.finish("change")),
    another: bench.replica,
    sent: api.sent,
    drawn,
    reply,
    signal: new AbortController().signal,
  };
}

/** A service `web` that has two instances until it is scaled. */
function webOfTwo(): ReturnType<typeof scripted> {
  let size = 2;
  return scripted((call) => {
    if (call.op === "updateService") size = call.body.target_instance_size ?? size;
    return call.op === "getService" ? service(size) : {};
  });
}

/** Full members, all in every channel with the bot. */
function town(members: readonly Pick<Profile, "userId" | "name">[], clock: StillClock): People {
  const profiles = new Map(
    members.map(({ userId, name }) => [userId, { userId, name, standing: "member", isAdmin: false } as const]),
  );
  return {
    async profile(userId) {
      const found = profiles.get(userId);
      if (found === undefined) throw new Error(`nobody is ${userId}`);
      return found;
    },
    someProfiles: (ids) => Promise.resolve(new Map([...profiles].filter(([id]) => ids.includes(id)))),
    profileChanged: () => Promise.resolve(),
    groupMembers: () => Promise.resolve(new Set<string>()),
    groupHandles: () => Promise.resolve(new Map<string, string>()),
    channelMembers: () => Promise.resolve(new Set([...profiles.keys(), "B1"])),
    bot: () => ({ userId: "B1", name: "gantry", teamId: "T1" }),
    nowMs: () => clock.nowMs(),
  };
}

import { machineClock } from "../../src/platform/clock.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { parseArgs } from "node:util";
import { createDirectory } from "../../src/bot/commands/lookup/directory.ts";
import { readConfig } from "../../src/bot/compose/config.ts";
import { defaultPolicy } from "../../src/bot/policy/read-policy.ts";
import { databaseFile } from "../../src/bot/store/database/session.ts";
import { openStore } from "../../src/bot/store/open-store.ts";
import { dueKinds } from "../../src/bot/workflow/due-kinds.ts";
import type { NewWatch, Profile } from "../../src/bot/workflow/stored.ts";
import type { People, WorkflowParts } from "../../src/bot/workflow/ports.ts";
import { deliverPost } from "../../src/bot/compose/deliver-post.ts";
import type { Sender } from "../../src/bot/workflow/posts.ts";
import { notifyPlace } from "../../src/bot/workflow/watching/notify.ts";
import { createKnownLists, makeRound } from "../../src/bot/workflow/watching/observer.ts";
import { event } from "../bot/store/contract/bench.ts";

// A week of watching in minutes: the real store, observer and notifier; the workload API and Slack are counters, and the
// clock is moved. `node test/bench/watch.ts`, `-- --accounts 10 --days 1` for a quick one.

const MINUTE = 60_000;
const EVERY = 5;

const { values } = parseArgs({
  options: { accounts: { type: "string" }, days: { type: "string" } },
});
const SERVICES = 100;
const [ACCOUNTS, DAYS] = [Number(values.accounts ?? 100), Number(values.days ?? 7)];

/** The same numbers in each run. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

type Outage = { readonly from: number; readonly to: number };

/** Minutes in which a service fails: each long enough to be seen, and far enough from the next to be one of its own. */
function outagesOf(random: () => number, minutes: number): readonly Outage[] {
  const outages: Outage[] = [];
  let at = Math.floor(random() * minutes * 4);
  while (at + 60 < minutes) {
    const to = at + 3 * EVERY + Math.floor(random() * 120);
    outages.push({ from: at, to });
    at = to + 6 * EVERY + Math.floor(random() * minutes * 4);
  }
  return outages;
}

const well = { status: "Running", target_instance_size: 1, ready_instances: 1 };
const failing = { ...well, ready_instances: 0, restarts: { count: 4 }, last_state: { reason: "Error", exit_code: 1 } };

async function main(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "gantry-watch-bench-"));
  let offsetMs = 0;
  let minute = 0;
  const began = Date.now();
  const nowMs = (): number => Date.now() + offsetMs;
  const clock = {
    ...machineClock,
    now: () => new Date(nowMs()),
    elapsedMs: () => machineClock.elapsedMs() + offsetMs,
    offsetMs: () => offsetMs,
  };
  const log = pino({ level: "error" });
  const store = await openStore({
    kind: "sqlite",
    dataDir,
    replicaId: "bench",
    log,
    clock,
    mayLoseLast: true,
  });
  const random = dice(7);
  const minutes = DAYS * 24 * 60;
  const accounts = Array.from({ length: ACCOUNTS }, (_, at) => `account-${at}`);
  const outages = new Map(
    accounts.map((name) => [name, Array.from({ length: SERVICES }, () => outagesOf(random, minutes - 120))]),
  );
  let isStorm = false;
  const profileOf = (userId: string): Profile => ({ userId, name: userId, standing: "member", isAdmin: false });
  const messages = new Map<string, number>();
  /** Incidents that a message lists. */
  const listed = new Map<string, number>();
  let refusedUntil = 0;
  const drawn = async (id: string): Promise<void> => {
    listed.set(id, (await store.alertOf({ id, teamId: "T1" }))?.incidents.length ?? 0);
  };
  /** A Slack that takes everything, or is away. The `ts` of a message is its alert. */
  const sending = (alert: string): Sender => {
    const refusal = { reason: "Slack's rate limit is reached.", reference: "" };
    const away = { kind: "later", ms: 30_000, isMaybeSent: false, refusal } as const; // a literal kind
    return {
      async post({ place: channelId, threadTs }) {
        if (nowMs() < refusedUntil) return away;
        if (threadTs === undefined) {
          messages.set(alert, (messages.get(alert) ?? 0) + 1);
          await drawn(alert);
        }
        return { kind: "sent", value: { channelId, ts: alert } };
      },
      async update() {
        if (nowMs() < refusedUntil) return away;
        await drawn(alert);
        return { kind: "sent", value: undefined };
      },
      answer: () => Promise.resolve(false),
      remove: () => Promise.resolve(),
      link: () => Promise.resolve(undefined),
    };
  };
  const list = async (username: string): Promise<object> => {
    const isHit = isStorm && Number(username.split("-")[1]) < 500 / SERVICES;
    const items = (outages.get(username) ?? []).map((own, at) => {
      const isOut = isHit || own.some(({ from, to }) => minute >= from && minute < to);
      return { name: `svc-${at}`, uid: `${username}-${at}`, ...(isOut ? failing : well) };
    });
    return { services: items, skipped: 0 };
  };
  const people: People = {
    nowMs,
    profile: (userId) => Promise.resolve(profileOf(userId)),
    someProfiles: (ids) => Promise.resolve(new Map(ids.map((id) => [id, profileOf(id)]))),
    profileChanged: () => Promise.resolve(),
    channelMembers: () => Promise.resolve(new Set(accounts.map((_, at) => `U${at}`))),
    groupMembers: () => Promise.resolve(new Set()),
    groupHandles: () => Promise.resolve(new Map()),
    bot: () => ({ userId: undefined, name: "Gantry", teamId: "T1" }),
  };
  const deps = {
    store,
    log,
    settings: { ...readConfig({}).settings, watchCallsPerDay: (24 * 60) / EVERY },
    policy: () => defaultPolicy,
    clock,
    directory: createDirectory(clock),
    accounts: { reopen: (ref: object) => Promise.resolve({ ...ref, token: "t" }) },
    calls: { today: () => Promise.resolve({ count: 0, since: new Date() }) },
    api: {
      engine: () => Promise.resolve(undefined),
      as: ({ username }: { readonly username: string }) => ({
        // Its logs are empty.
        send: ({ op }: { readonly op: string }) => (op === "getServiceLogs" ? Promise.resolve([]) : list(username)),
      }),
    },
    people,
    logs: { redact: () => Promise.resolve([]) },
  } as unknown as WorkflowParts; // what watching uses of it
  for (const [at, username] of accounts.entries()) {
    const watch: NewWatch = {
      id: `w${at}`,
      teamId: "T1",
      owner: { userId: `U${at}`, name: `U${at}` },
      source: "person",
      account: { owner: { kind: "workspace" }, username },
      target: { kind: "service", names: "*", region: "beijing1" },
      // The storm is in one channel.
      place: { kind: "channel", channelId: at < 500 / SERVICES ? "C0STORM" : `C${at}` },
      events: ["failing", "recovered"],
      afterMs: 0,
      quiet: undefined,
      digest: undefined,
    };
    await store.addWatch(watch, { perOwner: 1_000, perPlace: 1_000 }, event("watched"));
  }
  const known = createKnownLists();
  const signal = new AbortController().signal;
  const observer = { known, push: { listen: () => undefined }, followWith: () => undefined };
  const rounds = async (): Promise<void> => {
    await store.syncRounds("us");
    const { leaseMs, atOnce: most } = dueKinds.round;
    for (;;) {
      const due = await store.takeDue({ kind: "round", leaseMs, most });
      if (due.length === 0) return;
      await Promise.all(due.map((each) => makeRound(deps, observer, each, signal)));
    }
  };
  const deliveries = async (): Promise<void> => {
    for (;;) {
      const [due] = await store.takeDue({ kind: "post", leaseMs: dueKinds.post.leaseMs, most: 1 });
      if (due === undefined) return;
      const post = await store.postOf(due);
      const end = await deliverPost({ ...deps, sender: sending(post?.key ?? "") }, due, signal);
      if (end === "done") await store.endDue(due);
      else if (typeof end === "object") await store.delayDue(due, end);
      else if (end === "retry") throw new Error("a message was refused");
    }
  };
  const places = async (): Promise<void> => {
    await store.scheduleWatching();
    for (const due of await store.takeDue({ kind: "place", leaseMs: dueKinds.place.leaseMs, most: 100 })) {
      await notifyPlace(deps, due);
      await store.endDue(due);
    }
  };
  /** The bot sweeps: messages that wait, what is due, and lists that are due. */
  const sweep = async (): Promise<void> => {
    await deliveries();
    await places();
    await rounds();
    await places();
    await deliveries();
  };
  for (; minute < minutes; minute += 1) {
    // The time that the machine took counts, too: it is small beside a minute.
    offsetMs = minute * MINUTE - (Date.now() - began);
    await sweep();
    if (minute % (24 * 60) === 0) await store.beat();
  }
  const { incidents, told } = countsIn(databaseFile(dataDir));
  const expected = [...outages.values()].flat(2).length;
  print("workloads, accounts, simulated days", `${ACCOUNTS * SERVICES}, ${ACCOUNTS}, ${DAYS}`);
  print("incidents", `${incidents} of ${expected}; told ${told}, missed ${expected - told}`);
  print("told twice", String([...messages.values()].filter((count) => count > 1).length));
  await storm();
  await store.close();
  rmSync(dataDir, { recursive: true, force: true });

  /** Five hundred workloads fail at once, and Slack answers 429 for a minute. */
  async function storm(): Promise<void> {
    const earlier = new Set(messages.keys());
    isStorm = true;
    const from = offsetMs;
    refusedUntil = nowMs() + MINUTE;
    for (const username of accounts.slice(0, Math.ceil(500 / SERVICES))) {
      await store.hint({ teamId: "T1", account: username, region: "beijing1", kind: "service" });
    }
    const toldNow = (): number => [...listed].reduce((sum, [id, count]) => sum + (earlier.has(id) ? 0 : count), 0);
    while (toldNow() < 500 && offsetMs - from < 10 * MINUTE) {
      offsetMs += 2_000;
      await sweep();
    }
    print(
      "storm of 500, Slack answers 429 for a minute",
      `${toldNow()} told after ${(offsetMs - from) / 1_000} s in ${messages.size - earlier.size} messages`,
    );
  }
}

function countsIn(file: string): { readonly incidents: number; readonly told: number } {
  const database = new DatabaseSync(file, { readOnly: true });
  const count = (sql: string): number => Number(database.prepare(sql).get()?.["all"] ?? 0);
  const counts = {
    incidents: count('select sum(times) as "all" from incident'),
    told: count('select count(*) as "all" from notice where alert_id is not null'),
  };
  database.close();
  return counts;
}

function print(name: string, value: string): void {
  process.stdout.write(`${name.padEnd(48)} ${value}\n`);
}

await main();

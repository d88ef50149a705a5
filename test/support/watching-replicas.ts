import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { createSealer, newKey, readKeyring } from "../../src/bot/accounts/seal.ts";
import { createApi } from "../../src/api/client.ts";
import { type Bot, createBot } from "../../src/bot/compose/bot.ts";
import { readConfig } from "../../src/bot/compose/config.ts";
import { openLocalSlack } from "../../src/bot/compose/stand-ins/local-slack.ts";
import { type FileWatch, readWatches } from "../../src/bot/commands/verbs/watch/watches-file.ts";
import { readPolicy } from "../../src/bot/policy/read-policy.ts";
import { openStore } from "../../src/bot/store/open-store.ts";
import type { Store } from "../../src/bot/store/store.ts";
import { directNetwork } from "../../src/platform/http/network.ts";
import { type Outgoing, sendTo } from "../../src/platform/http/send.ts";
import type { NewWatch } from "../../src/bot/workflow/stored.ts";
import { event } from "../bot/store/contract/bench.ts";
import { asTimePasses } from "./as-time-passes.ts";
import { freezable } from "./freezable.ts";
import { migratedInMemory } from "./migrated-database.ts";
import { openPolicy } from "./open-policy.ts";
import { pointOf, type StorePoint } from "./store-point.ts";
import { testClock } from "./test-clock.ts";
import { until } from "./until.ts";

/** A call of the store, the list of the workload API, or what is sent to Slack. */
export type WatchingPoint = StorePoint | "list" | "post the card" | "post in the thread" | "update the card";
export type Moment = "before" | "after";

type Armed = { readonly what: WatchingPoint; readonly moment: Moment };
type Services = Map<string, object>;

/**
 * Two replicas on one database, one simulated Slack and one workload API, which look when the story says so. The database
 * is a PostgreSQL at an address, or else in memory.
 */
export async function watchingReplicas(postgres?: string) {
  const memory = postgres === undefined ? await migratedInMemory() : undefined;
  const log = pino({ level: "silent" });
  const sealer = createSealer(readKeyring(newKey()));
  const settings = { ...readConfig({}).settings, healthyAfterMs: 0 };
  const policy = readPolicy(openPolicy, "policy.yaml");
  const services: Services = new Map();
  let fileWatches: readonly FileWatch[] = [];
  const clock = testClock();
  let botPort = 0;
  const slack = await openLocalSlack({
    host: "127.0.0.1",
    port: 0,
    command: "/gantry",
    botPort: () => botPort,
    clock,
  });
  const bots: Bot[] = [];
  const stores: Store[] = [];

  const start = async (pass: Pass) => {
    const own = { replicaId: randomUUID(), log, sealer, clock };
    const real = await openStore(
      memory === undefined
        ? {
            kind: "postgres",
            url: postgres ?? "",
            poolSize: 5,
            statementTimeoutMs: 60_000,
            connectWithinMs: 60_000,
            ...own,
          }
        : { kind: "shared", db: memory, flavour: "sqlite", ...own },
    );
    stores.push(real);
    const frozen = freezable(passing(real, pass));
    const bot = createBot({
      slack: {
        ...slack.access,
        network: {
          ...directNetwork,
          send: async (url, outgoing) => pass(slackPoint(url, outgoing), () => directNetwork.send(url, outgoing)),
        },
      },
      store: frozen.store,
      api: createApi({
        baseUrl: "http://service.invalid",
        clock,
        send: sendTo((request) =>
          pass(request.url.endsWith("/services") ? "list" : undefined, () => answer(services, request)),
        ),
      }),
      account: { username: "gantry", token: "t0ken-of-the-account" },
      accountMode: "fallback",
      policy: () => policy,
      fileWatches: () => fileWatches,
      sealer,
      settings,
      log,
      clock,
      listen: { host: "127.0.0.1", port: 0 },
      sweepEveryMs: Number.POSITIVE_INFINITY,
      drain: { graceMs: 10, goodbyeMs: 10 },
    });
    const { port } = await bot.start();
    botPort = port;
    bots.push(bot);
    const look = async (): Promise<void> => {
      for (let turn = 0; turn < 2; turn += 1) {
        await bot.sweep();
        await bot.idle();
      }
    };
    return { look, freeze: frozen.freeze };
  };

  const person = slack.playground.as("dana");
  return {
    start,
    is: (name: string, fields: object) => void services.set(name, fields),
    passSeconds: (seconds: number) => clock.passMs(seconds * 1_000),
    async watches(names: string, other: Partial<NewWatch> = {}) {
      const [store] = stores;
      const watch: NewWatch = {
        id: "w1",
        teamId: "T0PLAYGR",
        owner: { userId: "U0DANA", name: "Dana" },
        source: "person",
        account: { owner: { kind: "workspace" }, username: "gantry" },
        target: { kind: "service", names, region: "beijing1" },
        place: { kind: "channel", channelId: "C0OPS" },
        events: ["failing", "recovered"],
        afterMs: 0,
        quiet: undefined,
        digest: undefined,
        ...other,
      };
      await store?.addWatch(watch, { perOwner: 9, perPlace: 9 }, event("watched", { teamId: "T0PLAYGR" }));
    },
    /** As the file of watches says it. */
    fileSays: (watches: string) => void (fileWatches = readWatches(watches, "watches.yaml")),
    deactivate: (name: string) => slack.playground.people.deactivate(name),
    cards: () =>
      person
        .sees("ops")
        .filter(({ threadTs, ts }) => threadTs === undefined || threadTs === ts)
        .map(({ text }) => text),
    replies: () =>
      person
        .sees("ops")
        .filter(({ threadTs, ts }) => threadTs !== undefined && threadTs !== ts)
        .map(({ text }) => text),
    async close() {
      // What a killed one waits for never comes.
      await asTimePasses(clock, () => Promise.all(bots.map((bot) => bot.stop())));
      await slack.close();
      for (const store of stores) await store.close();
      await memory?.destroy();
    },
  };
}

type Pass = <Result>(what: WatchingPoint | undefined, work: () => Promise<Result>) => Promise<Result>;

/** Nothing stops here. */
export const passes: Pass = (_what, work) => work();

/** Stops at a point, once: nothing behind it happens any more. */
export function stopsAt({ what, moment }: Armed): { readonly pass: Pass; readonly isReached: () => boolean } {
  let isReached = false;
  const never = new Promise<never>(() => undefined);
  return {
    isReached: () => isReached,
    async pass(passed, work) {
      if (isReached) return never;
      if (passed !== what) return work();
      if (moment === "after") await work();
      isReached = true;
      return never;
    },
  };
}

/** Lets a replica look until it stops at its point; false when that isn't on its way. */
export async function looksUntil(look: () => Promise<void>, isReached: () => boolean): Promise<boolean> {
  let isDone = false;
  void look().then(
    () => (isDone = true),
    () => (isDone = true),
  );
  await until(() => isDone || isReached());
  return isReached();
}

function passing(real: Store, pass: Pass): Store {
  const held = Object.entries(real).map(([name, work]) => [
    name,
    typeof work !== "function" || ["isOpen", "trouble", "onDue", "close"].includes(name)
      ? work
      : // a name of the store's own
        (...args: readonly unknown[]) =>
          pass(pointOf(name as keyof Store, args), async () => Reflect.apply(work, undefined, args) as unknown), // any result
  ]);
  return Object.fromEntries(held) as Store; // the same names as before
}

function slackPoint(url: string, { body = "" }: Outgoing): WatchingPoint | undefined {
  if (url.endsWith("chat.update")) return "update the card";
  if (!url.endsWith("chat.postMessage")) return undefined;
  return body.includes("thread_ts") ? "post in the thread" : "post the card";
}

async function answer(services: Services, { url }: Request): Promise<Response> {
  const { pathname } = new URL(url);
  if (pathname.endsWith("/services")) {
    return Response.json({
      services: [...services].map(([name, fields]) => ({ name, target_instance_size: 1, ...fields })),
    });
  }
  if (pathname.endsWith("/logs")) return Response.json([{ instance_name: "web-1", log: "Error: lost the database" }]);
  return Response.json({ jobs: [] });
}

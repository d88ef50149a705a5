import { machineClock } from "../../src/platform/clock.ts";
import { randomUUID } from "node:crypto";
import { flushCompileCache } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { readKeyring, createSealer } from "../../src/bot/accounts/seal.ts";
import { createApi } from "../../src/api/client.ts";
import type { WorkloadRef } from "../../src/bot/changes/change.ts";
import { readConfig } from "../../src/bot/compose/config.ts";
import { directNetwork, type Network } from "../../src/platform/http/network.ts";
import { createPost, type Send } from "../../src/platform/http/send.ts";
import { createLog } from "../../src/platform/log.ts";
import { readPolicy } from "../../src/bot/policy/read-policy.ts";
import { createBot } from "../../src/bot/compose/bot.ts";
import { openStore } from "../../src/bot/store/open-store.ts";
import { replayingStore } from "./replaying-store.ts";
import { reportingStore } from "./reporting-store.ts";
import {
  changeHeader,
  type FromReplica,
  type Order,
  replicaHeader,
  type ReplicaSetup,
  SPEED,
  type ToReplica,
} from "./ipc.ts";

/** A replica of the bot in a process of its own, made to be killed: the real one, with a store that tells. */

/** Half as often as on a clock: dozens of replicas share the machine. */
const SWEEP_EVERY_MS = 4_000 / SPEED;
/** The store's own, in the faster time; and the same on a clock, by which the process looks right before it sends. */
const SEND_WITHIN_MS = 10_000;

const asked = new Map<number, (leave: Order) => void>();
let lastAsk = 0;

async function open(setup: ReplicaSetup): Promise<number> {
  const { number, slack, service, epochMs } = setup;
  const log = createLog({ level: "warn", secrets: [], to: { write: (line) => say({ kind: "log", line }) } });
  const offsetMs = (): number => (Date.now() - epochMs) * (SPEED - 1);
  const clock = {
    ...machineClock,
    now: () => new Date(Date.now() + offsetMs()),
    elapsedMs: () => machineClock.elapsedMs() + offsetMs(),
    offsetMs,
  };
  const real = await openStore({
    ...setup.database,
    replicaId: randomUUID(),
    log,
    clock,
    sendWithinMs: SEND_WITHIN_MS,
  });
  const ruled = setup.replays ? replayingStore(real) : real;
  const sentFor = new Map<string, string>();
  const store = reportingStore(ruled, {
    ask,
    started: () => say({ kind: "started" }),
    claimed: ({ id, workload }) => void sentFor.set(pathOf(workload), id),
  });
  const network = marking(number, (path) => sentFor.get(path));
  const fast = (ms: number): Promise<void> => sleep(ms / SPEED);
  const { username, token } = service;
  const policy = readPolicy(setup.policy, "policy.yaml");
  const bot = createBot({
    slack: { ...slack, network },
    listen: { host: "127.0.0.1", port: 0 },
    api: createApi({ baseUrl: service.url, send: network.send, clock: { ...clock, sleep: fast } }),
    account: { username, token },
    accountMode: "fallback",
    policy: () => policy,
    sealer: createSealer(readKeyring(setup.keys)),
    // A service counts as healthy at its first look: rounds take seconds.
    settings: { ...readConfig({}).settings, healthyAfterMs: 0 },
    store: { ...store, sendWithinMs: SEND_WITHIN_MS / SPEED },
    log,
    clock,
    wait: fast,
    backOff: fast,
    sweepEveryMs: SWEEP_EVERY_MS,
  });
  return (await bot.start()).port;
}

async function begin(setup: ReplicaSetup): Promise<void> {
  try {
    say({ kind: "ready", port: await open(setup) });
    // Whoever is killed leaves nothing behind by itself; the next one starts in half the time.
    flushCompileCache();
  } catch (error) {
    say({ kind: "failed", why: error instanceof Error ? (error.stack ?? "") : String(error) });
  }
}

/** Every request says who sends it, and a write for which Change: the one that was claimed last for its workload. */
function marking(number: number, changeAt: (path: string) => string | undefined): Network {
  const send: Send = (url, outgoing) => {
    const path = /\/v1\/(regions\/[^/]+\/(?:services|jobs)\/[^/?]+)/u.exec(url)?.[1];
    const change = outgoing.method === "GET" || path === undefined ? undefined : changeAt(path);
    const marks = { [replicaHeader]: String(number), ...(change !== undefined && { [changeHeader]: change }) };
    return directNetwork.send(url, { ...outgoing, headers: { ...outgoing.headers, ...marks } });
  };
  return { ...directNetwork, send, post: createPost(send, machineClock) };
}

function pathOf({ kind, region, name }: WorkloadRef): string {
  return `regions/${region}/${kind}s/${name}`;
}

function ask(step: Extract<FromReplica, { kind: "step" }>["step"]): Promise<Order> {
  const { promise, resolve } = Promise.withResolvers<Order>();
  lastAsk += 1;
  asked.set(lastAsk, resolve);
  say({ kind: "step", ask: lastAsk, step });
  return promise;
}

function say(message: FromReplica): void {
  process.send?.(message);
}

process.on("disconnect", () => process.exit(0));
process.on("message", (message) => {
  const told = message as ToReplica; // sent by the process that started this one
  if (told.kind === "leave") {
    asked.get(told.ask)?.(told.leave);
    asked.delete(told.ask);
    return;
  }
  void begin(told.setup);
});
process.on("unhandledRejection", (error) => say({ kind: "log", line: `unhandled rejection: ${String(error)}` }));
say({ kind: "loaded" });

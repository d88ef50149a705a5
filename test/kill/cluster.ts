import { randomBytes } from "node:crypto";
import { newKey } from "../../src/bot/accounts/seal.ts";
import { machineClock } from "../../src/platform/clock.ts";
import { createPlayground, type Playground } from "../../src/playground/playground.ts";
import { type Replicas, openReplicas } from "./replicas.ts";
import { type Deliveries, openLoadBalancer, PATIENT_ACK_MS } from "./load-balancer.ts";
import type { Transport } from "./options.ts";
import { socketDeliveries } from "./socket-deliveries.ts";
import { appOfManifest, isBug, policy } from "./cluster-setup.ts";
import { type Arrived, openKillingProxy } from "./killing-proxy.ts";
import { type Pulse, waitFor } from "./wait-for.ts";
import type { Point } from "./points.ts";
import { countLostAnswers, type LostAnswers } from "./lost-answers.ts";
import { openRecords, type Records } from "./records.ts";
import { openServiceSide, type ServiceSide } from "./service-side.ts";
import { slackCall } from "./slack-calls.ts";
import { createReadPurpose, type ReadPurpose } from "./read-purpose.ts";
import { createTrace, isWorthATrace, type Trace } from "./trace.ts";
import { createTrap, type Trap } from "./trap.ts";
import { type Order, type ReplicaSetup, SPEED, type Step } from "./ipc.ts";

/** Trouble that lasts until it is switched off. */
export type Trouble = {
  /** The answer to a write gets lost; `dropped`: the write with it. */
  writes: "dropped" | "unanswered" | undefined;
  /** The service refuses to show the workload from the approval on. */
  readsRefused: boolean;
  /** How many of the next cards Slack does not take. */
  cardsRefused: number;
};

/** A workspace, a service, a database and the replicas between them. */
export type Cluster = {
  readonly playground: Playground;
  readonly service: ServiceSide;
  readonly deliveries: Deliveries;
  readonly replicas: Replicas;
  readonly trap: Trap;
  readonly readPurpose: ReadPurpose;
  readonly lostAnswers: LostAnswers;
  readonly records: Records;
  readonly trouble: Trouble;
  readonly pulse: Pulse;
  readonly trace: Trace;
  /** What replicas logged as broken, and what else must not happen; emptied by reading it. */
  readonly bugs: () => readonly string[];
  /** What the trap does to who takes it: as a rule it kills. */
  readonly onTrap: (action: "kill" | "freeze") => void;
  readonly frozen: () => number | undefined;
  /** When the lease of whoever was killed last is over, by `performance.now`. */
  readonly leaseOverMs: () => number;
  /** How many functions of the store a replica has called, or ended, so far. */
  readonly steps: (replica: number) => number;
  /** The time that goes faster, as the database has it. */
  readonly nowMs: () => number;
  /** Resolves when somebody takes deliveries. */
  readonly isUp: () => Promise<void>;
  readonly isFull: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export type ClusterOptions = {
  readonly database: ReplicaSetup["database"];
  readonly size: number;
  readonly transport: Transport;
  readonly replays: boolean;
  readonly random: () => number;
  readonly onKill: (point: Point) => void;
};

/** A kill while a function of the store works comes so much later, in milliseconds, at most. */
const LATEST_KILL_MS = 6;
/** The store's: before it is over, nobody takes what a dead replica held. */
const LEASE_MS = 20_000;

export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { database, size, transport, replays, random, onKill } = options;
  const readPurpose = createReadPurpose();
  const trap = createTrap((point) => {
    readPurpose.onKill();
    onKill(point);
  });
  const trace = createTrace();
  const service = openServiceSide();
  const trouble: Trouble = { writes: undefined, readsRefused: false, cardsRefused: 0 };
  let bugs: string[] = [];
  let action: "kill" | "freeze" = "kill";
  let frozen: number | undefined;
  const beatenAt = new Map<number, number>();
  let leaseOverMs = 0;
  const lostAnswers = countLostAnswers();
  const kill = (number: number): Promise<void> => {
    trace.add(`kill -9 of replica ${number}`);
    lostAnswers.onKill(number);
    leaseOverMs = (beatenAt.get(number) ?? performance.now()) + LEASE_MS / SPEED;
    return replicas.kill(number);
  };
  const serviceProxy = await openKillingProxy({
    inner: service.fetch,
    nameOf({ request }) {
      if (new URL(request.url).pathname.endsWith("/healthz")) return undefined;
      if (request.method !== "GET") return "service: write";
      if (/\/(?:services|jobs)$/u.test(new URL(request.url).pathname)) return "service: list";
      return service.logAnswer(request) === undefined ? readPurpose.read() : "service: read the log";
    },
    instead({ request }) {
      const lines = service.logAnswer(request);
      if (lines !== undefined) return lines;
      if (request.method !== "GET") return trouble.writes;
      const isRefused = trouble.readsRefused && readPurpose.read() === "service: read for drift";
      return isRefused ? Response.json({ message: "not for you" }, { status: 403 }) : undefined;
    },
    onArrival(arrived) {
      if (arrived.request.method !== "GET") trace.add(`arrived: ${requestLine(arrived)}`);
      service.noteArrival(arrived);
      if (arrived.request.method !== "GET") readPurpose.onWrite();
    },
    onDone(arrived, response) {
      trace.add(`${requestLine(arrived)} → ${response.status}`);
      service.noteDone(arrived, response);
    },
    trap,
    kill,
  });
  const botToken = `xoxb-kill-${randomBytes(8).toString("hex")}`;
  const signingSecret = randomBytes(16).toString("hex");
  const appToken = `xapp-1-kill-${randomBytes(8).toString("hex")}`;
  const slackProxy = await openKillingProxy({
    inner: (request) => playground.fetch(request),
    nameOf: slackCall,
    onDone(arrived, { status }) {
      trace.add(`${requestLine(arrived)} → ${status}`);
      const name = slackCall(arrived);
      if (name === "slack: post the card" || name === "slack: post in the thread")
        lostAnswers.onPosted(arrived.replica);
    },
    instead(arrived) {
      const name = slackCall(arrived);
      if ((name !== "slack: post the card" && name !== "slack: update the card") || trouble.cardsRefused === 0) return;
      trouble.cardsRefused -= 1;
      return Response.json({ ok: false, error: "internal_error" });
    },
    upgrade: (...upgrade) => playground.upgrade(...upgrade),
    trap,
    kill,
  });
  const keys = newKey();
  const epochMs = Date.now();
  const nowMs = (): number => Date.now() + (Date.now() - epochMs) * (SPEED - 1);
  const steps = new Map<number, number>();
  let chances = 0;
  let movedAtMs = performance.now();
  const onStep = async (number: number, step: Step): Promise<Order> => {
    movedAtMs = performance.now();
    // A sweep begins with it.
    if (step.edge === "beat" && step.when === "before") chances += 1;
    if (isWorthATrace(step)) trace.add(`replica ${number} did ${step.edge} ${step.changeId ?? ""}`);
    readPurpose.onStep(step);
    lostAnswers.onStep(number, step);
    steps.set(number, (steps.get(number) ?? 0) + 1);
    if (step.edge === "beat" && step.when === "after") beatenAt.set(number, performance.now());
    if (step.when === "before") {
      if (trap.takes(step.edge, "before")) return end(number);
      return trap.takes(step.edge, "during") ? "start" : "go";
    }
    return step.isEffective === true && trap.takes(step.edge, "after") ? end(number) : "go";
  };
  const end = async (number: number): Promise<Order> => {
    if (action === "freeze") {
      replicas.freeze(number);
      frozen = number;
      trap.sprung("frozen");
      // It hears of it when it goes on.
      return "go";
    }
    await kill(number);
    trap.sprung();
    return "stay";
  };
  const replicas = await openReplicas({
    size,
    setup: (number) => ({
      number,
      database,
      epochMs,
      slack: {
        botToken,
        apiUrl: `${slackProxy.url}/api/`,
        transport: transportOf(transport, { appToken, signingSecret }),
      },
      service: { url: serviceProxy.url, ...service.account },
      keys,
      policy,
      replays,
    }),
    onStep,
    onStarted: (number) =>
      void setTimeout(() => void kill(number).then(() => trap.sprung()), random() * LATEST_KILL_MS),
    onLog(line) {
      movedAtMs = performance.now();
      trace.add(line.trimEnd());
      if (isBug(line)) bugs.push(line);
    },
    onTrace(line) {
      movedAtMs = performance.now();
      trace.add(line);
    },
    onFailedStart: () => void (chances += 1),
  });
  const loadBalancer = await openLoadBalancer({ ports: replicas.ports, onTrace: trace.add });
  const playground = createPlayground({
    botToken,
    signingSecret,
    appToken,
    app: { ...appOfManifest(["app_mention"]), usesSocketMode: transport === "socket" },
    url: slackProxy.url,
    requestUrl: () => loadBalancer.url,
    ackMs: PATIENT_ACK_MS,
    // Its limits count in the time of the replicas: by a slower clock they would try again long before it takes a message.
    clock: { ...machineClock, now: () => new Date(nowMs()) },
    // As patient as with an ack.
    triggerMs: PATIENT_ACK_MS * SPEED,
  });
  const pulse: Pulse = { chances: () => chances, movedAtMs: () => movedAtMs, describe: () => replicas.describe() };
  const records = openRecords(database);
  return {
    playground,
    service,
    deliveries: transport === "socket" ? socketDeliveries(playground) : loadBalancer,
    replicas,
    trap,
    readPurpose,
    lostAnswers,
    records,
    trouble,
    bugs() {
      const found = bugs;
      bugs = [];
      return found;
    },
    onTrap: (wanted) => void (action = wanted),
    frozen: () => frozen,
    leaseOverMs: () => leaseOverMs,
    steps: (replica) => steps.get(replica) ?? 0,
    nowMs,
    pulse,
    trace,
    isUp: () => waitFor(pulse, () => replicas.ports().length > 0, "a replica takes deliveries"),
    isFull: () => waitFor(pulse, replicas.isFull, "all replicas take deliveries"),
    async close() {
      await replicas.close();
      await loadBalancer.close();
      await serviceProxy.close();
      playground.close();
      await slackProxy.close();
      await service.close();
      await records.close();
    },
  };
}

function transportOf(kind: Transport, secrets: { readonly appToken: string; readonly signingSecret: string }) {
  const { appToken, signingSecret } = secrets;
  return kind === "socket" ? { kind, appToken } : { kind, signingSecret };
}

function requestLine({ request, replica }: Arrived): string {
  return `replica ${replica}: ${request.method} ${new URL(request.url).pathname}`;
}

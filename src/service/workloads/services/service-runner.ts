import type { EngineContext } from "../engine-context.ts";
import type { Unit } from "../runtime.ts";
import { Refusal } from "../../engine.ts";
import { amountOf } from "../quota.ts";
import { hasOtherMemory, writesToDisks } from "../definitions.ts";
import {
  nextSteps,
  canResize,
  current,
  digestsOf,
  instanceNames,
  type Instances,
  nextGeneration,
  type Present,
  present,
  targetsOf,
  unwellOf,
} from "./present-instances.ts";
import { definitionOf, isCurrentGeneration, proven, type Revisions, servedUntilProven } from "./revisions.ts";
import { makeRestartHistory, type RestartHistory, type Restarts } from "../lifecycle/exit.ts";
import { startInstance, type InstanceEvents, type InstanceSpec, type ServiceInstance } from "./service-instance.ts";
import { serviceState, type ServiceState } from "./service-status.ts";
import type { Service } from "../state/store.ts";
import type { ServiceRollout } from "./service-answer.ts";
import type { Unwell } from "../answer-fields.ts";
import { unawaited } from "../../../platform/waiting.ts";

export type ServiceRunner = ReturnType<typeof makeServiceRunner>;

export type WantOptions = {
  /** The status until the wanted state is reached. */
  readonly activity?: "Starting" | "Updating";
  /** Forget earlier crashes and try immediately. */
  readonly retry?: boolean;
};

type ServiceHealth = Unwell & {
  /** Since when the state is what it is; undefined for one from before this server. */
  readonly since: string | undefined;
  readonly ready: number;
  readonly rollout: ServiceRollout | undefined;
  /** After a crash, of the instances since the last requested start, restart or update of them. */
  readonly restarts: Restarts;
  readonly imageDigests: readonly (string | undefined)[];
  readonly instanceNames: readonly string[];
};

type Run = Instances & {
  /** Called when no instance is left. */
  readonly waiting: Set<() => void>;
  readonly context: EngineContext;
  /** All instances of the newest revision were ready, so they are the revisions now. */
  readonly onProven: (revisions: Revisions) => void;
  readonly history: RestartHistory;
  /** Resolved once it is known which adopted instances are wanted. */
  readonly decided: PromiseWithResolvers<void>;
  /** By index: frees what is reserved for the second instance of a replacement. */
  readonly seconds: Map<number, () => void>;
  /** Its instances are those of an earlier server, which knew since when they run. */
  isAdopted: boolean;
  /** The last state that was noticed. */
  noticed: { readonly state: ServiceState; readonly since: string | undefined } | undefined;
  service: Service;
  activity: WantOptions["activity"];
  /** Instances are changed only while `managed`, and stopped while `closing`. New runners only hold adopted ones. */
  phase: "new" | "managed" | "closing" | "left";
};

/**
 * Brings the instances of one service to the wanted state, one comparison at a time: each change (an instance is ready,
 * has crashed, is gone) triggers the next one.
 */
export function makeServiceRunner(
  initial: Service,
  { context, onProven, adopted }: Pick<Run, "context" | "onProven"> & { readonly adopted: readonly Unit[] },
) {
  const run: Run = {
    instances: new Set(),
    waiting: new Set(),
    context,
    onProven,
    history: makeRestartHistory(context.clock),
    decided: Promise.withResolvers<void>(),
    seconds: new Map(),
    isAdopted: adopted.length > 0,
    noticed: undefined,
    service: { ...initial, running: false },
    activity: undefined,
    phase: "new",
  };
  adopt(run, adopted);
  return {
    state: () => stateOf(run),
    health: () => healthOf(run),
    /** Sets the wanted state and returns immediately. Instances of an older generation are replaced, some at a time. */
    want: (service: Service, how: WantOptions) => want(run, service, how),
    /** Whether the memory of its instances can be changed while they run. */
    canResize: () => canResize(run),
    /** Higher than that of every instance. */
    nextGeneration: () => nextGeneration(run),
    /** Addresses for one container port: of the ready instances, or of all that run while none is ready. */
    targets: (containerPort: number) => targetsOf(run, containerPort),
    /** Stops all instances because the engine closes. Resolves when they are gone. */
    async shutDown() {
      run.phase = "closing";
      reconcile(run);
      await emptied(run);
    },
    /** Stops managing the instances and leaves them running. */
    async leave() {
      run.phase = "left";
      const left = [...run.instances].map(({ instance }) => instance.leave());
      run.decided.resolve();
      await Promise.all(left);
    },
    /** Resolves when no instance is left. */
    emptied: () => emptied(run),
  };
}

function want(run: Run, service: Service, { activity, retry = false }: WantOptions): void {
  const before = run.service;
  const isResized = hasOtherMemory(before.definition, service.definition);
  // New instances start with a clean record, as new pods do in Kubernetes.
  if (isResized || service.generation !== before.generation || !service.running || retry) run.history.clear();
  run.service = service;
  if (isResized) for (const { instance } of current(run)) instance.adapt(service);
  if (run.phase === "new") {
    run.phase = "managed";
    resumeServing(run);
  }
  run.activity = activity ?? run.activity;
  notice(run);
  if (retry) for (const { instance } of run.instances) instance.retryNow();
  reconcile(run);
}

/** The instances of an earlier server: those of an older generation, or too many, are replaced or stopped by `want`. */
function adopt(run: Run, units: readonly Unit[]): void {
  const { service } = run;
  const keyOf = ({ labels: { instance, generation } }: Unit) => JSON.stringify([instance, generation]);
  for (const own of Map.groupBy(units, keyOf).values()) {
    const { instance, generation } = own[0]?.labels ?? { instance: "", generation: 0 };
    const index = Number(instance.slice(service.name.length + 1));
    if (!Number.isInteger(index)) continue;
    const isOutdated = !isCurrentGeneration(service, generation);
    const adopted = { units: own, decided: run.decided.promise, isOutdated };
    // An outdated one that crashes runs again as what it was.
    begin(run, { service: { ...service, generation, definition: definitionOf(service, generation) }, index, adopted });
  }
}

/**
 * Instances that ended with an earlier server start again in the version that served, not in one that was never ready.
 * The rollout then goes on and replaces them.
 */
function resumeServing(run: Run): void {
  const served = servedUntilProven(run.service);
  if (served === undefined) return;
  const there = new Set([...run.instances].map(({ index }) => index));
  const missing = Array.from({ length: wantedSize(run) }, (_, index) => index).filter((index) => !there.has(index));
  for (const index of missing) begin(run, { service: { ...run.service, ...served }, index });
}

function begin(run: Run, spec: InstanceSpec): void {
  const { generation } = spec.service;
  run.instances.add({
    index: spec.index,
    generation,
    startsAlone: spec.makeRoom !== undefined,
    instance: startInstance(spec, run.context, eventsOf(run, generation)),
  });
}

/** A crash of an outdated instance says nothing about the current ones. */
function eventsOf(run: Run, generation: number): InstanceEvents {
  return {
    changed: () => reconcile(run),
    crashed(how) {
      if (isCurrentGeneration(run.service, generation)) run.history.add(how);
    },
  };
}

/** Remembers when the state changed. A state from before this server began at an unknown time. */
function notice(run: Run): void {
  const state = stateOf(run);
  if (run.phase === "new" || state === run.noticed?.state) return;
  const isFromBefore = run.isAdopted || (run.noticed === undefined && state === "Stopped");
  run.noticed = { state, since: isFromBefore ? undefined : run.context.clock.now().toISOString() };
  if (state !== "Starting") run.isAdopted = false;
}

function healthOf(run: Run): ServiceHealth {
  notice(run);
  const ready = new Set(present(run).flatMap(({ state, index }) => (state === "ready" ? [index] : [])));
  const unwell = unwellOf(current(run).map(({ instance }) => instance));
  const rollout = rolloutOf(run, unwell.message);
  const restarts = run.history.recent();
  const found = { imageDigests: digestsOf(run), instanceNames: instanceNames(run) };
  return { since: run.noticed?.since, ready: ready.size, rollout, restarts, ...found, ...unwell };
}

/** How the replacement of instances goes, or went if it made the revision that runs; undefined if there was none. */
function rolloutOf(run: Run, message: string | undefined): ServiceRollout | undefined {
  const { service } = run;
  if (!service.running || service.deleting) return undefined;
  const [{ number: to, from, createdAt, endedAt, outcome }] = service.revisions;
  const target = wantedSize(run);
  const wanted = present(run).filter(({ index, state }) => index < target && state !== "stopping");
  const [fresh, old] = [true, false].map((isCurrent) => wanted.filter((each) => each.isCurrent === isCurrent));
  // As long as the status says that it is updating.
  const isOver = outcome !== undefined && present(run).every(({ isCurrent }) => isCurrent);
  if (isOver && from === undefined) return undefined;
  const ready = (some: readonly Present[] = []) => some.filter(({ state }) => state === "ready").length;
  const counts = { updated: fresh?.length ?? 0, ready: ready(fresh), oldReady: ready(old), target };
  // A restart, or another memory limit, replaces instances of the same revision.
  const began = outcome === undefined ? { from, since: createdAt } : {};
  if (isOver) return { ...counts, from, to, state: "done", since: createdAt, endedAt };
  const isStuck = fresh?.some(({ state }) => state === "failing") === true;
  return { ...counts, ...began, to, state: isStuck ? "stuck" : "progressing", message };
}

function stateOf(run: Run): ServiceState {
  const { deleting, running } = run.service;
  const instances = present(run);
  // A rollout that was stuck goes on without being asked.
  const activity = run.activity ?? (instances.every(({ isCurrent }) => isCurrent) ? undefined : "Updating");
  return serviceState({ deleting, running, activity, instances: instances.map(({ state }) => state) });
}

function wantedSize({ service, phase }: Run): number {
  return phase === "managed" && service.running && !service.deleting ? service.definition.size : 0;
}

function reconcile(run: Run): void {
  if (run.phase === "new" || run.phase === "left") return;
  const { username, region } = run.service;
  run.context.changed({ username, region, kind: "service" });
  const { start, stop: superfluous, replace, isReplaced, done } = nextSteps(wantedSize(run), present(run));
  for (const { instance, state } of superfluous)
    stopLater(run, instance, { handsOver: state === "ready" && isServing(run) });
  // Before the next ones need them: those of instances that end are free now.
  reserveSeconds(run);
  for (const index of start) begin(run, { service: run.service, index });
  for (const outdated of replace) replaceOne(run, outdated);
  run.decided.resolve();
  if (isReplaced && wantedSize(run) > 0) proveRevision(run);
  if (done || present(run).some(({ state }) => state === "failing")) run.activity = undefined;
  notice(run);
  if (run.instances.size > 0) return;
  for (const resolve of run.waiting) resolve();
  run.waiting.clear();
}

/** All instances are ready. When that began isn't known if an earlier server saw it. */
function proveRevision(run: Run): void {
  const { service, isAdopted, context, onProven } = run;
  if (service.revisions[0].outcome !== undefined) return;
  run.service = proven(service, isAdopted ? undefined : context.clock.now());
  onProven(run.service.revisions);
}

/**
 * The new one is started first. Where it would get in the way of the old one, that stops as soon as the new one could start:
 * an image that can't be pulled changes nothing, and a slow pull interrupts nothing.
 */
function replaceOne(run: Run, { index, generation, state, instance }: Present): void {
  const { service } = run;
  if (state === "failing") return stopLater(run, instance);
  // One that is replaced for itself has the generation of the others.
  const next = Math.max(service.generation, generation + 1);
  const isBeside = !writesToDisks(service.definition) && hasSecond(run, index);
  const makeRoom = isBeside ? undefined : () => stopOthers(run, { index, generation: next });
  begin(run, { service: { ...service, generation: next }, index, makeRoom });
}

/** Resolves when the others of this index have ended. */
async function stopOthers(run: Run, one: Pick<Present, "index" | "generation">): Promise<void> {
  const others = present(run).filter(({ index, generation }) => index === one.index && generation !== one.generation);
  await Promise.all(
    others.map(({ instance, state }) => stop(run, instance, { handsOver: state === "ready" && isServing(run) })),
  );
}

/** Reserves room for a second instance of this index, unless there is a reservation; false where a quota has none. */
function hasSecond({ seconds, context, service }: Run, index: number): boolean {
  const free = seconds.get(index) ?? reserveSecond(context, service, index);
  if (free) seconds.set(index, free);
  return free !== undefined;
}

/**
 * Reserves one more instance, for as long as the one of this index that it replaces still runs, and returns a function
 * that frees it. Undefined when a quota has no room for it.
 */
function reserveSecond(
  { ledger, runtime }: Pick<EngineContext, "ledger" | "runtime">,
  { uid, username, definition: { containers } }: Service,
  index: number,
): (() => void) | undefined {
  const amount = amountOf({ containers, size: 1, ports: 0 }, runtime.reservedMib);
  try {
    return ledger.reserve({ uid: `${uid}/second/${index}`, username }, { ...amount, workloads: 0 });
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Those that an earlier server had begun to replace need a reservation, too. Where there is none, the old ones go first. */
function reserveSeconds(run: Run): void {
  const running = present(run).filter(({ state }) => state !== "stopping");
  const pairs = new Map([...Map.groupBy(running, ({ index }) => index)].filter(([, pair]) => isSideBySide(pair)));
  for (const [index, free] of run.seconds) {
    if (pairs.has(index)) continue;
    free();
    run.seconds.delete(index);
  }
  for (const [index, pair] of pairs) {
    if (hasSecond(run, index)) continue;
    for (const { isCurrent, instance } of pair) if (!isCurrent) stopLater(run, instance);
  }
}

function isSideBySide(same: readonly Present[]): boolean {
  const newest = same.toSorted((left, right) => right.generation - left.generation)[0];
  return same.length > 1 && newest?.startsAlone !== true;
}

/** Other instances take its connections. */
function isServing(run: Run): boolean {
  return wantedSize(run) > 0 && run.service.definition.ports.length > 0;
}

function stopLater(run: Run, instance: ServiceInstance, how?: { readonly handsOver: boolean }): void {
  unawaited(stop(run, instance, how), (error) => run.context.onEvent("background work failed", { error }));
}

async function stop(run: Run, instance: ServiceInstance, how?: { readonly handsOver: boolean }): Promise<void> {
  const { instances, context, service } = run;
  try {
    await instance.stop(how);
  } catch (error) {
    context.onEvent("couldn't stop an instance", { error, service: service.uid });
  }
  for (const one of instances) if (one.instance === instance) instances.delete(one);
  reconcile(run);
}

async function emptied({ instances, waiting }: Run): Promise<void> {
  if (instances.size > 0) await new Promise<void>((resolve) => waiting.add(resolve));
}

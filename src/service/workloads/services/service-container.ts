import type { Clock } from "../../../platform/clock.ts";
import type { EngineContext } from "../engine-context.ts";
import { duration } from "../lifecycle/back-off.ts";
import { exitClause, lateText } from "../lifecycle/exit.ts";
import { keepRunning, recoveredAfterMs, discardUnit, startInTurn } from "../lifecycle/keep-running.ts";
import { type Exit, nameInLog, type Unit, type UnitSpec } from "../runtime.ts";
import { unawaited } from "../../../platform/waiting.ts";
import type { Service } from "../state/store.ts";

export type ContainerSpec = {
  /** Another memory limit takes effect without another instance. */
  readonly place: () => ContainerPlace;
  readonly adopted: AdoptedContainer | undefined;
  /** Called when it could start, for example because its image is there; it starts once this resolves. */
  readonly makeRoom?: ((stopping: AbortSignal) => Promise<void>) | undefined;
  /** It is of a revision that was never ready. Its ports have to answer before it counts as ready, or it has to run for
   * longer if it has none. A health check always has to pass. */
  readonly isUnproven: boolean;
};

/** A unit that an earlier server left, and which may have ended since. */
type AdoptedContainer = {
  readonly unit: Unit;
  /** Resolves when the service knows which of its instances it wants: an end isn't judged before. */
  readonly decided: Promise<void>;
  /** It is to be replaced, so its memory stays as it is. */
  readonly isOutdated: boolean;
};

export type ContainerEvents = {
  readonly changed: () => void;
  readonly crashed: (exit: Exit) => void;
};

export function keepContainer(spec: ContainerSpec, context: EngineContext, events: ContainerEvents) {
  const memory = makeMemoryFit(spec, (line) => noteTo(spec, context, `: ${line}`), events);
  const readiness = makeReadiness(spec, context, events);
  let waited: string | undefined;
  const kept = keepRunning({
    clock: context.clock,
    backOff: context.backOff,
    adopted: spec.adopted?.unit,
    decided: spec.adopted?.decided,
    start(stopping) {
      const { makeRoom } = spec;
      return startInTurn(specOf(spec.place()), context, { makeRoom, stopping, waits: (line) => (waited = line) });
    },
    discard: (unit) => discardUnit(unit, context),
    onError: (error) =>
      context.onEvent("couldn't keep an instance running", { error, service: spec.place().service.uid }),
    onStart(unit) {
      waited = undefined;
      readiness.watch(unit);
      if (unit !== spec.adopted?.unit || !spec.adopted.isOutdated) memory.fit(unit);
    },
    async onExit(exit, { delayMs }) {
      waited = undefined;
      const late = lateText(exit, context.clock.now());
      noteTo(spec, context, ` ${exitClause(exit)}${late}, restarting in ${duration(delayMs)}`);
      events.crashed(exit);
      events.changed();
      return "again";
    },
  });
  return {
    kept,
    isReady: () => readiness.isReady(kept.current()) && kept.current()?.hindrance?.() === undefined,
    /** It had long enough to become ready. */
    isOverdue: () => readiness.isOverdue(kept.current()),
    /** What it waits for, before it can start or go on, as a clause. */
    waits: () => waited ?? readiness.silence(kept.current()) ?? kept.current()?.hindrance?.(),
    /** Gives it the memory of the definition: a running unit in place, one that waits for its next start immediately. */
    adapt() {
      const unit = kept.current();
      if (unit) memory.fit(unit);
      else kept.retryNow();
    },
    isResizing: memory.isResizing,
    isMisfit: () => memory.isMisfit(kept.current()),
  };
}

/** A line about the container, in its log. */
function noteTo({ place }: ContainerSpec, { logs }: EngineContext, line: string): void {
  const { service, instance } = place();
  const name = nameInLog({ instance, generation: service.generation });
  logs.append(service.uid, name, `[gantry] ${subject(place())}${line}`);
}

const POLL_MS = 50;
/** Of what is asked over a network, or is late already. */
const SLOW_POLL_MS = 500;
/** A container with ports has this many times as long to become ready as one without. */
const PORT_PATIENCE = 20;
/** A container without ports of a revision that was never ready has to run for this many times as long. */
const UNPROVEN_PATIENCE = 5;

/** How a unit shows that it is ready. */
type ReadinessCheck = {
  readonly look: () => Promise<"ready" | "waiting" | "overdue">;
  readonly pollMs: number;
  /** Why one that is overdue isn't ready, as the end of a clause. */
  readonly fault: string;
  /** How long it had, for its log. */
  readonly patience: string;
  /** One that is overdue isn't ready: it can't be taken for one that does other work. */
  readonly isStrict: boolean;
};

type Patience = {
  readonly readyAfterMs: number;
  readonly isUnproven: boolean;
  readonly clock: Pick<Clock, "elapsedMs">;
  /** Goes on only while what runs the units answers. */
  readonly answeredMs: () => number;
};

function readinessCheckOf(unit: Unit, { readyAfterMs, isUnproven, clock, answeredMs }: Patience): ReadinessCheck {
  const { health, answers, runs = async () => true } = unit;
  if (health) {
    const looks = { starting: "waiting", healthy: "ready", unhealthy: "overdue" } as const;
    const look = async () => looks[await health.look()];
    return { look, pollMs: SLOW_POLL_MS, fault: UNHEALTHY, patience: "", isStrict: true };
  }
  if (!answers) {
    const waitMs = readyAfterMs * (isUnproven ? UNPROVEN_PATIENCE : 1);
    const upAt = clock.elapsedMs() + waitMs;
    // While the daemon is away, nobody has noticed yet how it ended.
    const look = async () => (clock.elapsedMs() >= upAt && (await runs()) ? "ready" : "waiting");
    return { look, pollMs: Math.min(POLL_MS, waitMs), fault: "", patience: "", isStrict: false };
  }
  const waitMs = readyAfterMs * PORT_PATIENCE;
  const deadline = answeredMs() + waitMs;
  return {
    async look() {
      if (await answers()) return "ready";
      return answeredMs() < deadline ? "waiting" : "overdue";
    },
    pollMs: Math.min(POLL_MS, waitMs),
    fault: "doesn't answer on its port",
    patience: ` after ${duration(waitMs)}`,
    isStrict: false,
  };
}

const UNHEALTHY = "doesn't pass its health check";

/**
 * Watches one unit after the other until it is ready, and until its failures are forgotten. A unit is ready when its health
 * check passes; without one, when all its ports answer, or when it has stayed up for `readyAfterMs` if it has none. One
 * that never opens its ports is ready after a longer time, because it may well do other work, unless it is unproven.
 * A health check counts for as long as the unit runs.
 */
function makeReadiness(spec: ContainerSpec, context: EngineContext, { changed }: ContainerEvents) {
  const { readyAfterMs, backOff, clock, runtime } = context;
  const answeredMs = runtime.answeredMs ?? clock.elapsedMs;
  let ready: Unit | undefined;
  let unwell: { readonly unit: Unit; readonly fault: string; readonly isOverdue: boolean } | undefined;
  let { isUnproven } = spec;

  const faultOf = (unit: Unit | undefined) => (unwell !== undefined && unwell.unit === unit ? unwell : undefined);

  async function becomesReady(unit: Unit, gone: AbortSignal): Promise<void> {
    const check = readinessCheckOf(unit, { readyAfterMs, isUnproven, clock, answeredMs });
    const { look, pollMs, fault, patience, isStrict } = check;
    while (!gone.aborted) {
      const found = await look();
      if (found === "ready" || gone.aborted) return;
      if (found === "overdue" && !faultOf(unit)) {
        noteTo(spec, context, ` ${fault}${patience}`);
        if (!isStrict && !isUnproven) return;
        unwell = { unit, fault, isOverdue: true };
        changed();
      }
      await clock.sleep(found === "overdue" ? SLOW_POLL_MS : pollMs);
    }
  }

  /** One that was ready and fails its check by now has as long to recover as one with ports has to start. */
  async function staysHealthy(unit: Unit, { look, everyMs }: NonNullable<Unit["health"]>, gone: AbortSignal) {
    let since: number | undefined;
    while (
      await clock.sleep(everyMs, gone).then(
        () => true,
        () => false,
      )
    ) {
      const found = await look();
      const isOverdue = since !== undefined && answeredMs() - since >= readyAfterMs * PORT_PATIENCE;
      const isSame = found === "healthy" ? since === undefined : faultOf(unit)?.isOverdue === isOverdue;
      if (gone.aborted || found === "starting" || isSame) continue;
      if (found === "healthy") noteTo(spec, context, " passes its health check again");
      else if (since === undefined) noteTo(spec, context, ` ${UNHEALTHY} any more`);
      since = found === "healthy" ? undefined : (since ?? answeredMs());
      unwell = found === "healthy" ? undefined : { unit, fault: UNHEALTHY, isOverdue };
      changed();
    }
  }

  async function watch(unit: Unit): Promise<void> {
    const gone = new AbortController();
    const recovery = clock.after(recoveredAfterMs(backOff), changed);
    unawaited(
      unit.exited.finally(() => {
        gone.abort();
        recovery.cancel();
      }),
    );
    const isOver = AbortSignal.any([gone.signal, context.leaving]);
    await becomesReady(unit, isOver);
    if (!isOver.aborted) {
      ready = unit;
      unwell = undefined;
      isUnproven = false;
    }
    changed();
    if (unit.health) await staysHealthy(unit, unit.health, isOver);
  }

  return {
    watch: (unit: Unit) => unawaited(watch(unit), (error) => context.onEvent("background work failed", { error })),
    isReady: (unit: Unit | undefined) => ready !== undefined && ready === unit && !faultOf(unit),
    isOverdue: (unit: Unit | undefined) => faultOf(unit)?.isOverdue === true,
    silence(unit: Unit | undefined) {
      const found = faultOf(unit);
      return found && `it ${found.fault}`;
    },
  };
}

/** Gives a container's unit the memory limit of the definition while it runs. `changed` is called after each attempt. */
function makeMemoryFit({ place }: ContainerSpec, note: (line: string) => void, { changed }: ContainerEvents) {
  let misfit: Unit | undefined;
  let pending = 0;
  let earlier = Promise.resolve();

  function wantedMib(): number | undefined {
    const { service, container } = place();
    return service.definition.containers[container]?.memoryMib;
  }

  async function resizeAfter(others: Promise<void>, unit: Unit): Promise<void> {
    await others;
    await resize(unit);
    pending -= 1;
    changed();
  }

  async function resize(unit: Unit): Promise<void> {
    const wanted = wantedMib();
    const fits = unit.limitMib?.() === wanted;
    const isResized = !fits && (await unit.resize?.(wanted).catch(() => false)) === true;
    misfit = fits || isResized ? undefined : unit;
    if (isResized) note(`its memory limit is ${limitText(wanted)} now; it wasn't restarted for that`);
    if (misfit) note(`its memory limit can't be changed to ${limitText(wanted)} while it runs: it is replaced`);
  }

  return {
    /** Compares the unit's limit with the wanted one, and changes it if they differ. */
    fit(unit: Unit) {
      // A runtime that can't change limits doesn't tell them either.
      if (!unit.limitMib || (pending === 0 && unit.limitMib() === wantedMib())) return;
      pending += 1;
      earlier = resizeAfter(earlier, unit);
    },
    isResizing: () => pending > 0,
    /** Its limit is another one and can't be changed, so it has to be replaced. */
    isMisfit: (unit: Unit | undefined) => misfit !== undefined && misfit === unit,
  };
}

function limitText(mib: number | undefined): string {
  return mib === undefined ? "none" : `${mib} MiB`;
}

/** One container of one instance of a service. */
type ContainerPlace = {
  readonly service: Service;
  /** The index in the definition. */
  readonly container: number;
  readonly instance: string;
};

/** For log lines. */
function subject({ service, container, instance }: ContainerPlace): string {
  const { containers } = service.definition;
  return containers.length === 1
    ? `instance ${instance}`
    : `container ${containers[container]?.name} of instance ${instance}`;
}

function specOf({ service, container, instance }: ContainerPlace): UnitSpec {
  const { uid, username, region, generation, definition } = service;
  const own = definition.containers[container];
  if (!own) throw new Error(`the service ${uid} has no container ${container}`);
  const mounted = definition.volumes.filter(({ name }) => own.mounts.some((mount) => mount.name === name));
  return {
    workload: uid,
    instance,
    container,
    generation,
    username,
    region,
    definition: own,
    volumes: mounted.map(({ name, diskName, readOnly }) => ({
      name,
      readOnly,
      source: { kind: "disk", username, region, name: diskName },
    })),
    // Those that are mapped and lead to this container. A port that no container opens leads to the first one.
    ports: definition.ports.flatMap(({ containerPort }) => {
      const opener = definition.containers.find(({ ports }) => ports.some(({ port }) => port === containerPort));
      return (opener ?? definition.containers[0]) === own ? [containerPort] : [];
    }),
    syncTimezone: definition.syncTimezone,
  };
}

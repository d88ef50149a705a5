import type { EngineDeps } from "../engine-parts.ts";
import { duration, recoveredAfterMs } from "../lifecycle/back-off.ts";
import { exitClause } from "../lifecycle/exit-text.ts";
import { lateText } from "../lifecycle/exit-time.ts";
import { keepRunning, type Kept } from "../lifecycle/keep-running.ts";
import { discardUnit, startInTurn } from "../lifecycle/start-unit.ts";
import type { Exit, Unit } from "../runtime.ts";
import { makeMemoryFit, type MemoryFit } from "./memory-fit.ts";
import { type ContainerPlace, specOf, subject } from "./unit-spec.ts";
import { whenReady } from "./when-ready.ts";
import { unawaited } from "../../../platform/unawaited.ts";

export type KeptContainer = Pick<MemoryFit, "isResizing"> & {
  readonly kept: Kept;
  readonly isReady: () => boolean;
  /** What it waits for, before it can start or go on, as a clause. */
  readonly waits: () => string | undefined;
  /** Gives it the memory of the definition: a running unit in place, one that waits for its next start immediately. */
  readonly adapt: () => void;
  readonly isMisfit: () => boolean;
};

export type ContainerSpec = {
  /** Another memory limit takes effect without another instance. */
  readonly place: () => ContainerPlace;
  readonly adopted: AdoptedContainer | undefined;
};

/** A unit that an earlier server left, and which may have ended since. */
export type AdoptedContainer = {
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

export function keepContainer(spec: ContainerSpec, deps: EngineDeps, events: ContainerEvents): KeptContainer {
  const memory = memoryFitOf(spec, deps, events);
  const readiness = makeReadiness(spec, deps, events);
  let waited: string | undefined;
  const kept = keepRunning({
    ...programOf(spec, deps, (line) => (waited = line)),
    onStart(unit) {
      waited = undefined;
      readiness.watch(unit);
      if (unit !== spec.adopted?.unit || !spec.adopted.isOutdated) memory.fit(unit);
    },
    async onExit(exit, { delayMs }) {
      waited = undefined;
      const late = lateText(exit, deps.now());
      noteTo(spec, deps, ` ${exitClause(exit)}${late}, restarting in ${duration(delayMs)}`);
      events.crashed(exit);
      events.changed();
      return "again";
    },
  });
  return {
    kept,
    isReady: () => readiness.isReady(kept.current()) && kept.current()?.hindrance?.() === undefined,
    waits: () => waited ?? kept.current()?.hindrance?.(),
    adapt: () => adapt(kept, memory),
    isResizing: memory.isResizing,
    isMisfit: () => memory.isMisfit(kept.current()),
  };
}

function programOf({ place, adopted }: ContainerSpec, deps: EngineDeps, waits: (line: string) => void) {
  const { service } = place();
  return {
    backOff: deps.backOff,
    adopted: adopted?.unit,
    decided: adopted?.decided,
    start: (stopping: AbortSignal) => startInTurn(specOf(place()), deps, { stopping, waits }),
    discard: (unit: Unit) => discardUnit(unit, deps),
    onError: (error: unknown) => deps.onEvent("couldn't keep an instance running", { error, service: service.uid }),
  };
}

/** A line about the container, in its log. */
function noteTo({ place }: ContainerSpec, { logs }: EngineDeps, line: string): void {
  const { service, instance } = place();
  logs.append(service.uid, instance, `[gantry] ${subject(place())}${line}`);
}

function memoryFitOf(spec: ContainerSpec, deps: EngineDeps, { changed }: ContainerEvents): MemoryFit {
  return makeMemoryFit({
    wantedMib() {
      const { service, container } = spec.place();
      return service.definition.containers[container]?.memoryMib;
    },
    note: (line) => noteTo(spec, deps, `: ${line}`),
    changed,
  });
}

function adapt(kept: Kept, memory: MemoryFit): void {
  const unit = kept.current();
  if (unit) memory.fit(unit);
  else kept.retryNow();
}

/** Watches one unit after the other until it is ready, and until its failures are forgotten. */
function makeReadiness(spec: ContainerSpec, deps: EngineDeps, { changed }: ContainerEvents) {
  const { readyAfterMs, backOff } = deps;
  let ready: Unit | undefined;
  const onSilentPorts = (waitedMs: number): void => {
    noteTo(spec, deps, ` doesn't answer on its port after ${duration(waitedMs)}`);
  };

  async function watch(unit: Unit): Promise<void> {
    const recovery = setTimeout(changed, recoveredAfterMs(backOff) + 1).unref();
    unawaited(unit.exited.finally(() => clearTimeout(recovery)));
    if (await whenReady(unit, { readyAfterMs, onSilentPorts })) ready = unit;
    changed();
  }

  return {
    watch: (unit: Unit) => unawaited(watch(unit), (error) => deps.onEvent("background work failed", { error })),
    isReady: (unit: Unit | undefined) => ready !== undefined && ready === unit,
  };
}

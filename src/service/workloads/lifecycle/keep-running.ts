import { Away, type Exit, type Unit, type LogReader, nameInLog, type UnitLabels, type UnitSpec } from "../runtime.ts";
import { delayAfter, type BackOff, makePause, type Pause } from "./back-off.ts";
import type { Clock } from "../../../platform/clock.ts";
import { unawaited } from "../../../platform/waiting.ts";
import type { EngineContext } from "../engine-context.ts";
import type { LogWriter } from "../logs/log-writer.ts";

export type Kept = ReturnType<typeof keepRunning>;

/** A unit that stayed up this long has recovered: its failures are forgotten. */
export function recoveredAfterMs({ first }: BackOff): number {
  return first * 10;
}

type KeepRunning = {
  /** A unit of an earlier server, which is the first one. */
  readonly adopted?: Unit | undefined;
  /** No end is judged before this resolves. */
  readonly decided?: Promise<void> | undefined;
  /** Resolves to undefined when `stopping` is aborted before the unit starts. */
  readonly start: (stopping: AbortSignal) => Promise<Unit | undefined>;
  readonly backOff: BackOff;
  readonly onStart: (unit: Unit) => void;
  /**
   * Called for a unit that ended without being stopped, and decides whether another one is started. `delayMs` is the
   * pause before the next one.
   */
  readonly onExit: (exit: Exit, after: { delayMs: number }) => Promise<"again" | "over">;
  /** Called when a stopped unit has ended. */
  readonly onStopped?: (exit: Exit) => Promise<void>;
  /** Called once `onExit` or `onStopped` has recorded the end of a unit. Not called if that failed. */
  readonly discard: (unit: Unit) => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly clock: Clock;
};

type Loop = {
  readonly options: KeepRunning;
  readonly stopping: AbortController;
  readonly pause: Pause;
  starting: Promise<Unit | Exit | undefined>;
  /** The end of the last unit is being recorded. */
  ending: Promise<unknown>;
  unit: Unit | undefined;
  startedAt: number;
  failures: number;
  /** Ends and failed starts in a row that say nothing about the workload. */
  inVain: number;
  isLeft: boolean;
};

/** Keeps one container running: starts a unit, waits for its end, and starts another one after a back-off. */
export function keepRunning(options: KeepRunning) {
  const loop: Loop = {
    options,
    stopping: new AbortController(),
    pause: makePause(options.clock),
    starting: Promise.resolve(options.adopted),
    ending: Promise.resolve(),
    unit: undefined,
    startedAt: 0,
    failures: 0,
    inVain: 0,
    isLeft: false,
  };
  const { stopping, pause } = loop;
  const ended = repeat(loop).catch(options.onError);
  return {
    /** Stops the unit and starts none again; resolves when it is gone. Idempotent. */
    async stop() {
      stopping.abort();
      pause.end();
      await loop.unit?.stop();
      await ended;
    },
    /**
     * Leaves the unit running, and does nothing about its end. Resolves when no start is in progress, and no end is being
     * recorded.
     */
    async leave() {
      loop.isLeft = true;
      stopping.abort();
      pause.end();
      await loop.starting;
      await loop.ending.catch(() => undefined); // reported by `onError`
    },
    /** Forgets the failures and ends a back-off. */
    retryNow() {
      loop.failures = 0;
      pause.end();
    },
    /** Failures in a row; 0 once a unit has stayed up for long enough. What its surroundings did is none. */
    failures: () => (hasRecovered(loop) ? 0 : loop.failures),
    current: () => loop.unit,
  };
}

function hasRecovered({ unit, startedAt, options }: Loop): boolean {
  return unit !== undefined && options.clock.elapsedMs() - startedAt >= recoveredAfterMs(options.backOff);
}

async function repeat(loop: Loop): Promise<void> {
  if (!loop.options.adopted) loop.starting = startOrFail(loop);
  while ((await runOnce(loop)) === "again" && !loop.stopping.signal.aborted) loop.starting = startOrFail(loop);
}

/** A failed start counts as a unit that failed immediately, unless its surroundings were away. */
async function startOrFail({ options, stopping }: Loop): Promise<Unit | Exit | undefined> {
  try {
    return await options.start(stopping.signal);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { code: null, startError: why, ...(error instanceof Away && { surroundings: why }) };
  }
}

async function runOnce(loop: Loop): Promise<"again" | "over"> {
  const { options, stopping, pause } = loop;
  const exit = await endOf(loop);
  await options.decided;
  if (!exit || loop.isLeft) return "over";
  const isEvidence = exit.surroundings === undefined;
  if (hasRecovered(loop)) loop.failures = 0;
  if (isEvidence) loop.failures += 1;
  loop.inVain = isEvidence ? 0 : loop.inVain + 1;
  const delayMs = delayAfter(isEvidence ? loop.failures : loop.inVain, options.backOff);
  const ending = recordEnd(loop, exit, delayMs);
  loop.ending = ending;
  const next = await ending;
  if (next === "again" && !stopping.signal.aborted) await pause.take(delayMs);
  return next;
}

async function recordEnd(loop: Loop, exit: Exit, delayMs: number): Promise<"again" | "over"> {
  const { options, stopping, unit } = loop;
  loop.unit = undefined;
  let next: "again" | "over" = "over";
  if (stopping.signal.aborted) await options.onStopped?.(exit);
  else next = await options.onExit(exit, { delayMs });
  if (unit) await options.discard(unit);
  return next;
}

/** Resolves to the end of the unit that is being started; undefined if none is. */
async function endOf(loop: Loop): Promise<Exit | undefined> {
  const { options, stopping } = loop;
  const started = await loop.starting;
  if (!started || "code" in started) return started;
  loop.unit = started;
  loop.startedAt = options.clock.elapsedMs();
  if (!stopping.signal.aborted) options.onStart(started);
  else if (!loop.isLeft) unawaited(started.stop(), options.onError);
  return await started.exited;
}

type Start = {
  /** `startUnit`, with what has to be done around it. */
  readonly begin?: () => Promise<Unit>;
  /** Called when the unit is prepared; it starts once this resolves. */
  readonly makeRoom?: ((stopping: AbortSignal) => Promise<void>) | undefined;
  readonly stopping: AbortSignal;
  /** Called with a clause about what it waits for, before it starts. */
  readonly waits: (line: string) => void;
};

/** Prepares a unit and starts it in its turn. Resolves to undefined without starting when `stopping` is aborted first. */
export async function startInTurn(
  spec: UnitSpec,
  context: EngineContext,
  { begin = () => startUnit(spec, context), makeRoom, stopping: signal, waits }: Start,
): Promise<Unit | undefined> {
  const note = (line: string): void => {
    if (signal.aborted) return;
    noteTo(spec, context)(line);
    waits(line);
  };
  try {
    await context.runtime.prepare?.(spec, { signal, note });
    if (makeRoom && !signal.aborted) {
      waits("the old instance has to end first");
      await makeRoom(signal);
    }
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
  return await context.starts.run(begin, signal);
}

/** Starts a unit, whose output goes to the log. Rejects if the runtime can't start it. */
export async function startUnit(spec: UnitSpec, context: EngineContext): Promise<Unit> {
  const unit = await context.runtime.start(spec, noteTo(spec, context));
  readLog(unit, undefined, context);
  return unit;
}

function noteTo(unit: UnitSpec, { logs }: EngineContext): (line: string) => void {
  return (line) => logs.append(unit.workload, nameInLog(unit), `[gantry] ${line}`);
}

/** Reads the output of an adopted unit, from the line after the last stored one. Never rejects. */
export async function resumeLog(unit: Unit, context: EngineContext): Promise<void> {
  const { workload } = unit.labels;
  const after = await context.logs.cursorOf(unit.labels).catch((error: unknown) => {
    context.onEvent("couldn't read how far a log was stored, so it is read from its beginning", { error, workload });
    context.logs.append(
      workload,
      nameInLog(unit.labels),
      "[gantry] lines can come twice: nothing says how far this log was stored",
    );
    return undefined;
  });
  readLog(unit, after, context);
}

/** Removes what is left of a unit whose end was recorded, once its lines are stored. Never rejects. */
export async function discardUnit(unit: Unit, { logs, leaving }: EngineContext): Promise<void> {
  // Its last lines may not have been read: the next server does.
  if (leaving.aborted) return;
  await logs.flush();
  await unit.discard();
  await logs.endUnit(unit.labels);
}

function readLog(unit: Unit, after: string | undefined, { logs, leaving }: EngineContext): void {
  unit.readLog({ after, write: writeTo(logs, unit.labels), signal: leaving });
}

/** Writes the lines of a unit to the log, and waits while the log has no room for them. */
export function writeTo(logs: LogWriter, labels: UnitLabels): LogReader["write"] {
  return (line) => {
    const room = logs.room();
    if (room) return room.then(() => logs.record(labels, line));
    logs.record(labels, line);
    return undefined;
  };
}

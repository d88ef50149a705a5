import type { EngineContext } from "../engine-context.ts";
import type { LogWriter } from "../logs/log-writer.ts";
import { type LogReader, nameInLog, type Unit, type UnitLabels, type UnitSpec } from "../runtime.ts";

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

import type { EngineDeps } from "../engine-parts.ts";
import type { LogWriter } from "../logs/log-writer.ts";
import type { LogReader, Unit, UnitLabels, UnitSpec } from "../runtime.ts";

type UnitDeps = Pick<EngineDeps, "runtime" | "logs" | "leaving">;

/** Starts a unit, whose output goes to the log. Rejects if the runtime can't start it. */
export async function startUnit(spec: UnitSpec, deps: UnitDeps): Promise<Unit> {
  const { runtime, logs } = deps;
  const unit = await runtime.start(spec, (line) => logs.append(spec.workload, spec.instance, `[gantry] ${line}`));
  readLog(unit, undefined, deps);
  return unit;
}

/** Reads the output of an adopted unit, from the line after the last stored one. */
export async function resumeLog(unit: Unit, deps: UnitDeps): Promise<void> {
  readLog(unit, await deps.logs.cursorOf(unit.labels), deps);
}

function readLog(unit: Unit, after: string | undefined, { logs, leaving }: UnitDeps): void {
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

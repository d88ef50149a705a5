import type { EngineDeps } from "../engine-parts.ts";
import { exitTime } from "../lifecycle/exit-time.ts";
import { discardUnit } from "../lifecycle/start-unit.ts";
import type { Unit } from "../runtime.ts";
import { readRecord, recordPath, writeRecord } from "./run-record.ts";

/**
 * Stops a unit of an earlier server that nothing needs any more, and removes what is left of it. If it is one of a job
 * and has completed, that is recorded first, so that the job never runs a second time.
 */
export async function endLeftover(unit: Unit, deps: EngineDeps): Promise<void> {
  const { workload, container } = unit.labels;
  await unit.stop();
  const exit = await unit.exited;
  const path = recordPath(deps.dataDir, workload, container);
  // Only jobs have records.
  const record = exit.code === 0 ? await readRecord(path) : undefined;
  if (record?.state === "begun" || record?.state === "interrupted") {
    await writeRecord(path, { state: "ended", attempt: record.attempt, code: 0, at: exitTime(exit, deps.now()) });
  }
  await discardUnit(unit, deps);
}

import type { Change } from "../../changes/change.ts";
import { driftOf } from "../../changes/drift.ts";
import type { HistoryEvent } from "../../changes/history-event.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import type { Records } from "../../commands/command.ts";
import { UserError } from "../../errors.ts";

/** Enough rows to hold the last requests that ran and what they were. */
const ROWS = 60;

/**
 * What changed after the Change that is undone, a line each: "Omar Haddad set instances to 6 since then". The undo takes
 * this back too, and its own difference doesn't say so.
 */
export async function changedSince(
  undone: StoredChange,
  undo: Change,
  records: Pick<Records, "history">,
): Promise<readonly string[]> {
  const outcome = undone.ending?.kind === "run" ? undone.ending.outcome : undefined;
  const after = outcome?.kind === "done" ? outcome.after : undefined;
  if (after === undefined) return [];
  const moved = driftOf({ ...undo, before: after }, undo.before);
  if (moved.length === 0) return [];
  const events = await eventsOf(undone, records);
  return moved.map(
    ({ field, now }) => `${whoSet(now, events, undone) ?? "somebody"} set ${field} to ${now} since then`,
  );
}

/** Newest first. Without history, nobody is named. */
async function eventsOf(
  { workload: { name }, account: { username: account } }: StoredChange,
  records: Pick<Records, "history">,
): Promise<readonly HistoryEvent[]> {
  try {
    return (await records.history({ workload: { name, account }, limit: ROWS })).events;
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}

/** Whose request last set the workload to this value, if one did after the Change that is undone. */
function whoSet(now: string, events: readonly HistoryEvent[], { id, workload }: StoredChange): string | undefined {
  const { kind, region, name } = workload;
  const done = events.filter(
    (event) =>
      event.kind === "done" &&
      event.workload?.kind === kind &&
      event.workload.region === region &&
      event.workload.name === name,
  );
  for (const { changeId } of done) {
    if (changeId === id) return undefined;
    const requested = events.find((event) => event.kind === "requested" && event.changeId === changeId);
    const values = requested?.result.split("; ").map((line) => line.split(" → ").at(-1)) ?? [];
    if (values.includes(now)) return requested?.who?.name;
  }
  return undefined;
}

import type { Change } from "../../changes/change.ts";
import { driftOf } from "../../changes/drift.ts";
import type { HistoryEvent } from "../../changes/history-event.ts";
import { requestIdOf, type StoredChange, type Who } from "../../changes/stored-change.ts";
import type { Records } from "../../commands/command.ts";
import { UserError } from "../../errors.ts";

/** Enough rows to hold the last requests that ran and what they were. */
const ROWS = 60;

type Undoing = {
  readonly undone: StoredChange;
  readonly undo: Change;
  readonly records: Pick<Records, "history">;
  /** The id of the person who takes it back. */
  readonly userId: string;
};

type Since = { readonly lines: readonly string[]; readonly ofOthers: readonly string[] };

/**
 * What changed after the Change that is undone, a line each: "Omar Haddad set instances to 6 since then". The undo takes
 * this back too, and its own difference doesn't say so. Revisions aren't among them: the verb that goes back to one tells.
 */
export async function changedSince({ undone, undo, records, userId }: Undoing): Promise<Since> {
  const outcome = undone.ending?.kind === "run" ? undone.ending.outcome : undefined;
  const after = outcome?.kind === "done" ? outcome.after : undefined;
  if (after === undefined) return { lines: [], ofOthers: [] };
  const isRevised = undo.call.op === "updateService" && undo.call.body.revision !== undefined;
  const moved = isRevised ? [] : driftOf({ ...undo, before: after }, undo.before);
  if (moved.length === 0) return { lines: [], ofOthers: [] };
  const events = await eventsOf(undone, records);
  const described = moved.map(({ field, now }) => {
    const who = whoSet(now, events, undone);
    return { line: `${who?.name ?? "somebody"} set ${field} to ${now} since then`, who };
  });
  const others = described.filter(({ who }) => who?.userId !== userId);
  return { lines: described.map(({ line }) => line), ofOthers: others.map(({ line }) => line) };
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
function whoSet(now: string, events: readonly HistoryEvent[], { id, workload }: StoredChange): Who | undefined {
  const { kind, region, name } = workload;
  const done = events.filter(
    (event) =>
      event.kind === "done" &&
      event.workload?.kind === kind &&
      event.workload.region === region &&
      event.workload.name === name,
  );
  for (const { changeId } of done) {
    if (changeId === requestIdOf(id)) return undefined;
    const requested = events.find((event) => event.kind === "requested" && event.changeId === changeId);
    const values = requested?.result.split("; ").map((line) => line.split(" → ").at(-1)) ?? [];
    if (values.includes(now)) return requested?.who;
  }
  return undefined;
}

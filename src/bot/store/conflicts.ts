import type { StoredChange } from "../changes/stored-change.ts";
import type { NewChange } from "../workflow/ports.ts";
import { findChange, type Reader, waits } from "./find-change.ts";

/** The Change that kept this one from being added; undefined when it no longer conflicts. */
export async function findConflict(reader: Reader, change: NewChange): Promise<StoredChange | undefined> {
  const { deliveryId, undoOf, waitKey, teamId } = change;
  const known = await findChange(reader, { deliveryId }, teamId);
  if (known !== undefined) return known;
  const undo = undoOf === undefined ? undefined : await findChange(reader, { undoOf }, teamId);
  return undo ?? (waitKey === undefined ? undefined : findChange(reader, { waitKey }, teamId));
}

/** An expired request no longer blocks duplicates, even before the sweep has ended it. */
export async function freeExpired({ db, clock }: Reader, waitKey: string | undefined): Promise<void> {
  if (waitKey === undefined) return;
  await db
    .updateTable("change")
    .set({ wait_key: null })
    .where("wait_key", "=", waitKey)
    .where(waits)
    .where("expires_at", "<=", clock())
    .execute();
}

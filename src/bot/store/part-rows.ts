import type { Selectable } from "kysely";
import { requestIdOf } from "../changes/parts.ts";
import { inBatches } from "./database/batches.ts";
import type { Session } from "./database/session.ts";
import type { ChangeTable } from "./schema/tables.ts";

type ChangeRow = Selectable<ChangeTable>;

/** The rows of the parts of these requests, by request, in their order. */
export async function partRowsOf(
  { db }: Pick<Session, "db">,
  rows: readonly ChangeRow[],
): Promise<ReadonlyMap<string, readonly ChangeRow[]>> {
  const ids = rows.filter((row) => row.part_count > 0).map(({ id }) => id);
  const found = await inBatches(ids, (some) =>
    db.selectFrom("change").selectAll().where("part_of", "in", some).execute(),
  );
  return Map.groupBy(
    found.toSorted((a, b) => placeOf(a) - placeOf(b)),
    ({ id }) => requestIdOf(id),
  );
}

function placeOf({ id }: ChangeRow): number {
  return Number(id.split("/")[1]);
}

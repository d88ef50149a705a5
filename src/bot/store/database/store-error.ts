import { StoreError } from "../../errors.ts";
import { databaseTroubleOf } from "../../../platform/database/database-trouble.ts";

/**
 * The `StoreError` for an error of the driver; undefined for anything else, which is a bug. The message doesn't say whether
 * anything changed: the database can fail before a request is sent, and after it.
 */
export function storeErrorOf(error: unknown): StoreError | undefined {
  if (error instanceof StoreError) return error;
  if (!(error instanceof Error)) return undefined;
  const why = databaseTroubleOf(error, "DATABASE_URL");
  if (why === undefined) return undefined;
  return new StoreError(
    `Gantry's database can't be used: ${why}. Try again in a minute. ` +
      "If this keeps happening, contact your Gantry admin.",
    { cause: error },
  );
}

/** Whether a row was refused because a value that must be unique is there already, in this column of `change`. */
export function isTaken(error: unknown, column: string): boolean {
  if (!(error instanceof Error)) return false;
  const isPostgres = "code" in error && error.code === "23505" && "constraint" in error;
  if (isPostgres) return error.constraint === `change_${column}`;
  return error.message.includes(`UNIQUE constraint failed: change.${column}`);
}

import type { z } from "zod";

/** An optional value in JSON and in SQL, which have no `undefined`: missing in an object, null in a list or a column. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

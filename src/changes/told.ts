import type { z } from "zod";

/** A value that may not be told. JSON has no `undefined`: in an object it is left out, in a list it becomes null. */
export function told<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

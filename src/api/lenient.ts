import { z } from "zod";

/**
 * A field that can be missing, null or malformed: all three become undefined, so that one bad field doesn't hide the
 * rest of the answer.
 */
export function lenient<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

/** Text or a number, as text: a `uid` or an environment value can arrive as a number. */
export const text = z.union([z.string(), z.number().transform(String)]);

/** Text that is not empty. */
export const identity = text.refine((value) => value !== "");

/** A count, which some services write as text. */
export const count = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d{1,15}$/u)
    .transform(Number),
]);

/** Drops malformed items. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(z.unknown()).transform((values) =>
    values.flatMap((value): z.output<Item>[] => {
      const read = item.safeParse(value);
      return read.success ? [read.data] : [];
    }),
  );
}

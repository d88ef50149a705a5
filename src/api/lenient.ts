import { z } from "zod";

/**
 * A field that may be missing or null; one of another form is taken for missing, so that it does not hide the rest of
 * the answer.
 */
export function lenient<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

/** Text; numbers are text here (a `uid` or an environment value may come as one). */
export const text = z.union([z.string(), z.number().transform(String)]);

/** Text that identifies something, so it cannot be empty. */
export const identity = text.refine((value) => value !== "");

/** A count; some services write numbers as text. */
export const count = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d{1,15}$/u)
    .transform(Number),
]);

/** An array without the items that are not of the form. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(z.unknown()).transform((values) => values.flatMap((value) => keep(item, value)));
}

function keep<Item extends z.ZodType>(item: Item, value: unknown): z.output<Item>[] {
  const read = item.safeParse(value);
  return read.success ? [read.data] : [];
}

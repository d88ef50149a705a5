import { z } from "zod";

/** A time as the database writes it. */
export const Time = z.iso.datetime().transform((text) => new Date(text));

/** A flag as both databases store it. */
export const Flag = z.literal([0, 1]).transform((value) => value === 1);

/** A bigint: `pg` reads it as text. */
export const Big = z.union([z.number(), z.bigint(), z.string().regex(/^-?\d+$/u)]).transform(Number);

/** Text that a person or the service wrote. PostgreSQL takes no NUL in a text. */
export function plainText(text: string): string {
  return text.replaceAll("\0", "");
}

/** Throws an Error that names the row and its broken columns, and quotes none of their content. */
export function parseRow<T>(schema: z.ZodType<T>, row: unknown, name: string): T {
  const result = schema.safeParse(row);
  if (result.success) return result.data;
  const broken = result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
  throw new Error(
    `${name} in the database cannot be read (${broken}). It was changed by hand, or by another program: ` +
      "put the row right, or restore the database.",
    { cause: result.error },
  );
}

import { z } from "zod";
import type { AccountOwner } from "../../accounts/resolve.ts";
import { optional } from "../../optional.ts";
import type { Terms } from "../../policy/policy.ts";

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

type Named<Column extends string> = Column extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Named<Rest>>}`
  : Column;

const names = new Map<string, string>();

function named(column: string): string {
  const name = names.get(column) ?? column.replaceAll(/_(.)/gu, (_, letter: string) => letter.toUpperCase());
  names.set(column, name);
  return name;
}

/**
 * A row with our names of its columns: `team_id` is `teamId`. Throws an Error that names the row and its broken columns, and quotes
 * none of their content.
 */
export function parseRow<Row extends object>(schema: z.ZodType<Row>, row: unknown, name: string) {
  const result = schema.safeParse(row);
  if (!result.success) {
    const broken = result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
    throw new Error(
      `${name} in the database cannot be read (${broken}). It was changed by hand, or by another program: ` +
        "put the row right, or restore the database.",
      { cause: result.error },
    );
  }
  const values = Object.entries(result.data).map(([column, value]) => [named(column), value] as const); // pairs
  return Object.fromEntries(values) as { readonly [Column in keyof Row & string as Named<Column>]: Row[Column] }; // as above
}

// JSON is written through the same schema as it is read, so that nothing gets in that has no place in the type: an
// account that happens to carry its token is stored without it.

export const TermsJson: z.ZodType<Terms> = z.object({
  votes: z.number().int().min(1),
  from: z.object({ users: z.array(z.string()), groups: z.array(z.string()), channelMembers: z.boolean() }),
  selfApproval: z.boolean(),
  reasonRequired: z.boolean(),
  expiresMs: z.number(),
  cardIn: optional(z.string()),
  mention: z.enum(["groups", "all", "nobody"]),
});

export const OwnerJson: z.ZodType<AccountOwner> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("workspace") }),
  z.object({ kind: z.literal("channel"), channelId: z.string() }),
  z.object({ kind: z.literal("user"), userId: z.string() }),
]);

export const LinesJson: z.ZodType<readonly string[]> = z.array(z.string());

/** To a column, without fields that the schema doesn't know. */
export function toJson<T>(schema: z.ZodType<T>, value: T): string {
  return JSON.stringify(schema.parse(value));
}

/** From a column. An error never quotes its content. */
export function fromJson<T>(schema: z.ZodType<T>) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: "custom", message: "is no JSON" });
        return z.NEVER;
      }
    })
    .pipe(schema);
}

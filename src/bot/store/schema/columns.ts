import { Redacted } from "../../../api/redacted.ts";
import { z } from "zod";
import type { AccountOwner } from "../../accounts/resolve.ts";
import type { Ending, Health } from "../../changes/stored-change.ts";
import type { Terms } from "../../policy/policy.ts";
import { Outcome } from "../../changes/change.ts";

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

// Schemas of JSON columns. Written through the same schema as it is read, so that nothing gets in that has no place
// in the type: an account that happens to carry its token is stored without it.

/** SQL and JSON know null; our types say undefined. */
export function maybe<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

const WhoJson = z.object({ userId: z.string(), name: z.string() });

// oxlint-disable-next-line unicorn/no-thenable -- a word, not a function; nobody awaits a row
const DriftJson = z.object({ field: z.string(), then: z.string(), now: z.string(), asked: maybe(z.string()) });

export const EndingJson: z.ZodType<Ending> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("run"), outcome: Outcome }),
  z.object({ kind: z.literal("rejected"), by: WhoJson, reason: maybe(z.string()) }),
  z.object({ kind: z.literal("cancelled"), by: WhoJson }),
  z.object({ kind: z.literal("expired"), was: z.enum(["pending", "approved"]) }),
  z.object({ kind: z.literal("drifted"), drift: z.array(DriftJson) }),
]);

export const HealthJson: z.ZodType<Health> = z.object({
  kind: z.enum(["reached", "trouble", "not-yet", "unwatched", "watching"]),
  level: maybe(z.enum(["healthy", "busy", "failing", "idle"])),
  outcome: maybe(z.string()),
  gone: maybe(z.enum(["deleted", "replaced"])),
  overtakenBy: maybe(z.object({ id: z.string(), verb: z.string() })),
  line: z.string(),
  digest: maybe(z.string()),
  afterMs: maybe(z.number()),
  startedAt: maybe(z.string()),
  endedAt: maybe(z.string()),
  recovered: maybe(z.boolean()),
  usual: maybe(z.object({ ms: z.number(), runs: z.number() })),
  excerpt: z.array(Redacted),
  watch: maybe(
    z.object({
      calls: z.number(),
      rolling: maybe(z.number()),
      troubleSinceMs: maybe(z.number()),
      wellSinceMs: maybe(z.number()),
      periodMs: maybe(z.number()),
      restarts: maybe(z.number()),
      statusSince: maybe(z.string()),
    }),
  ),
});

export const TermsJson: z.ZodType<Terms> = z.object({
  votes: z.number().int().min(1),
  from: z.object({ users: z.array(z.string()), groups: z.array(z.string()), channelMembers: z.boolean() }),
  selfApproval: z.boolean(),
  reasonRequired: z.boolean(),
  expiresMs: z.number(),
  cardIn: maybe(z.string()),
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

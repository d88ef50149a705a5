import { z } from "zod";
import type { AccountOwner } from "../../accounts/account.ts";
import type { Ending, Health } from "../../changes/stored-change.ts";
import type { Terms } from "../../policy/verdict.ts";
import { Outcome } from "../../changes/change.ts";

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
  line: z.string(),
  afterMs: maybe(z.number()),
  excerpt: z.array(z.string()),
  watch: maybe(
    z.object({
      calls: z.number(),
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

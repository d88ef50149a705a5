import { z } from "zod";
import {
  Duration,
  ApproverWord,
  ChannelId,
  ActionWord,
  ImagePattern,
  isUserId,
  MemoryLimit,
  notText,
  Pattern,
  WhereWord,
  WhoWord,
} from "./policy-words.ts";
import { operationFacts } from "./operation-facts.ts";
import type { RuleActions } from "./policy.ts";

/** A single word is a list of one. */
function listOf<Item extends z.ZodType>(item: Item) {
  const error = ({ input }: { readonly input?: unknown }): string =>
    input === undefined ? "This is missing." : "This must be a word, or a list of words.";
  return z.preprocess(
    (given) => (given === undefined || Array.isArray(given) ? given : [given]),
    z.array(item, { error }).min(1, "This list is empty, so the rule would never match. Add at least one entry."),
  );
}

const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, { error: `This must be ${words.join(" or ")}.` });

const Approve = z.strictObject(
  {
    votes: z
      .int("This must be a whole number of approvals from 1 to 20.")
      .min(1, "This must be at least 1. For no approval, use then: allow.")
      .max(20, "This must be a whole number of approvals from 1 to 20.")
      .default(1),
    from: listOf(ApproverWord).default(["channel-members"]),
    "self-approval": z.boolean("This must be true or false.").default(false),
    reason: oneOf(["required", "optional"]).default("optional"),
    expires: Duration.default(3_600_000),
    "post-in": ChannelId.optional(),
    mention: oneOf(["groups", "all", "nobody"]).default("all"),
  },
  { error: "This must be a map, like approve: { votes: 1, from: [channel-members] }." },
);

const nothing = z.strictObject({}, { error: "This takes no settings. Write it as one word, like then: allow." });
const ends = "allow, refuse, break-glass or approve";

/** `then: allow` is short for `then: { allow: {} }`, so an unknown word is reported as an unknown key. */
const Then = z.preprocess(
  spellOut,
  z
    .strictObject(
      {
        allow: nothing.optional(),
        refuse: nothing.optional(),
        "break-glass": nothing.optional(),
        approve: Approve.optional(),
      },
      { error: `This must be ${ends}.` },
    )
    .refine((then) => Object.values(then).filter((end) => end !== undefined).length === 1, {
      error: `This must be exactly one of ${ends}.`,
    }),
);

function spellOut(given: unknown): unknown {
  if (typeof given === "string") return { [given]: {} };
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(Object.entries(given).map(([key, value]: [string, unknown]) => [key, value ?? {}]));
}

const Workloads = z.strictObject(
  {
    kind: listOf(oneOf(["service", "job"])).optional(),
    name: listOf(Pattern).optional(),
    region: listOf(Pattern).optional(),
    account: listOf(Pattern).optional(),
  },
  { error: "This must be a map, like workloads: { kind: service, name: shop-* }." },
);

const instances = "This must be a whole number of instances, at least 1.";

const growth = "This must be a number from 1, such as 3: how many times the instances that it has.";

const Limits = z
  .strictObject(
    {
      instances: z.int(instances).min(1, instances).optional(),
      memory: MemoryLimit.optional(),
      growth: z.number(growth).min(1, growth).optional(),
    },
    { error: "This must be a map, like limits: { instances: 20, memory: 4Gi }." },
  )
  .refine((limits) => Object.values(limits).some((limit) => limit !== undefined), {
    error: "This is empty. Add instances, memory or growth.",
  });

const ruleName = /^[^\p{C}]{1,60}$/u;

export function isRuleName(name: unknown): name is string {
  return typeof name === "string" && ruleName.test(name);
}

const RuleInFile = z
  .strictObject(
    {
      name: z
        .string({ error: notText })
        .trim()
        .regex(ruleName, "A rule's name must be one line of 1 to 60 characters."),
      who: listOf(WhoWord),
      where: listOf(WhereWord).optional(),
      does: listOf(ActionWord),
      workloads: Workloads.optional(),
      images: listOf(ImagePattern).optional(),
      limits: Limits.optional(),
      // oxlint-disable-next-line unicorn/no-thenable -- the word of the file; nobody awaits a rule
      then: Then,
      say: z
        .string({ error: notText })
        .trim()
        .min(1, "This is empty. Write a sentence, or leave it out.")
        .max(300, "This has a limit of 300 characters.")
        .optional(),
    },
    { error: "A rule must be a map with name, who, does and then." },
  )
  .superRefine(({ does, then, say, images, limits }, context) => {
    for (const key of ["images", "limits"] as const) {
      if ({ images, limits }[key] === undefined || !does.some(isAboutNoSize)) continue;
      context.addIssue({
        code: "custom",
        path: [key],
        message:
          "Only changes of workloads have images and a size. Use routine, disruptive, destructive or write operations in does, and add a separate rule for the rest.",
      });
    }
    if (limits !== undefined && then.refuse !== undefined) {
      context.addIssue({
        code: "custom",
        path: ["limits"],
        message:
          "This would refuse only small workloads. Add limits to a rule that allows: it doesn't match larger ones.",
      });
    }
    const waits = then.approve !== undefined || then["break-glass"] !== undefined;
    if (waits && does.some(isAboutReads)) {
      context.addIssue({
        code: "custom",
        path: ["does"],
        message:
          "Reads can't need an approval or break-glass. Use routine, disruptive, destructive or write operations here, and add a separate rule for reads.",
      });
    }
    if (say !== undefined && then.refuse === undefined) {
      context.addIssue({ code: "custom", path: ["say"], message: "Only rules with then: refuse can have say." });
    }
    const { from = [], votes = 1 } = then.approve ?? {};
    if (from.every(isUserId) && new Set(from).size < votes && then.approve !== undefined) {
      context.addIssue({
        code: "custom",
        path: ["then", "approve", "votes"],
        message: `This needs ${votes} approvals, but from lists fewer people. Require fewer, or add people to from.`,
      });
    }
  });
export type RuleInFile = z.infer<typeof RuleInFile>;

function isAboutNoSize(deeds: RuleActions): boolean {
  return deeds === "bindChannel" || isAboutReads(deeds);
}

function isAboutReads(deeds: RuleActions): boolean {
  if (deeds === "read" || deeds === "anything") return true;
  if (deeds === "routine" || deeds === "disruptive" || deeds === "destructive") return false;
  return operationFacts[deeds].effect === "read";
}

/** Error messages are complete sentences; unknown keys are errors. */
export const PolicyFile = z.strictObject(
  {
    rules: z
      .array(RuleInFile, { error: "rules: is missing, or isn't a list of rules." })
      .min(1, "There are no rules, so nobody could do anything. Add at least one."),
  },
  { error: "The file must contain rules: with a list of rules." },
);

/** The valid keys at a path, for suggestions. */
export function knownKeys(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return Object.keys(PolicyFile.shape);
  if (path.length === 2) return Object.keys(RuleInFile.shape);
  const last = path.at(-1);
  if (last === "workloads") return Object.keys(Workloads.shape);
  if (last === "limits") return Object.keys(Limits.shape);
  if (last === "approve") return Object.keys(Approve.shape);
  return path.length === 3 && last === "then" ? ["allow", "refuse", "break-glass", "approve"] : [];
}

import { z } from "zod";
import {
  Duration,
  ApproverWord,
  ChannelId,
  ActionWord,
  isUserId,
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
    z.array(item, { error }).min(1, "This list is empty, so the rule would never match: name somebody or something."),
  );
}

const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, { error: `This must be ${words.join(" or ")}.` });

const Approve = z.strictObject(
  {
    votes: z
      .int("This must be a whole number of votes, from 1 to 20.")
      .min(1, "An approval takes at least 1 vote; use allow where none is needed.")
      .max(20, "This must be a whole number of votes, from 1 to 20.")
      .default(1),
    from: listOf(ApproverWord).default(["channel-members"]),
    "self-approval": z.boolean("This must be true or false.").default(false),
    reason: oneOf(["required", "optional"]).default("optional"),
    expires: Duration.default(3_600_000),
    "post-in": ChannelId.optional(),
    mention: oneOf(["groups", "all", "nobody"]).default("groups"),
  },
  { error: "This must be a map, like approve: { votes: 1, from: [channel-members] }." },
);

const nothing = z.strictObject({}, { error: "Nothing can be set here: write it as one word, like then: allow." });
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

const ruleName = /^[^\p{C}]{1,60}$/u;

export function isRuleName(name: unknown): name is string {
  return typeof name === "string" && ruleName.test(name);
}

const RuleInFile = z
  .strictObject(
    {
      name: z.string({ error: notText }).trim().regex(ruleName, "A rule's name is one line of 1 to 60 characters."),
      who: listOf(WhoWord),
      where: listOf(WhereWord).optional(),
      does: listOf(ActionWord),
      workloads: Workloads.optional(),
      // oxlint-disable-next-line unicorn/no-thenable -- the word of the file; nobody awaits a rule
      then: Then,
      say: z
        .string({ error: notText })
        .trim()
        .min(1, "This is empty: write a sentence, or leave it out.")
        .max(300, "A sentence for a refusal has at most 300 characters.")
        .optional(),
    },
    { error: "A rule must be a map with name, who, does and then." },
  )
  .superRefine(({ does, then, say }, context) => {
    const waits = then.approve !== undefined || then["break-glass"] !== undefined;
    if (waits && does.some(isAboutReads)) {
      context.addIssue({
        code: "custom",
        path: ["does"],
        message:
          "Reading cannot wait for an approval, nor does it break any glass: write routine, disruptive, destructive or operations that write, and give reading a rule of its own.",
      });
    }
    if (say !== undefined && then.refuse === undefined) {
      context.addIssue({ code: "custom", path: ["say"], message: "Only a rule with then: refuse says something." });
    }
    const { from = [], votes = 1 } = then.approve ?? {};
    if (from.every(isUserId) && new Set(from).size < votes && then.approve !== undefined) {
      context.addIssue({
        code: "custom",
        path: ["then", "approve", "votes"],
        message: `It takes ${votes} votes, but names fewer people who could give one: ask for fewer, or name more in from.`,
      });
    }
  });
export type RuleInFile = z.infer<typeof RuleInFile>;

function isAboutReads(deeds: RuleActions): boolean {
  if (deeds === "read" || deeds === "anything") return true;
  if (deeds === "routine" || deeds === "disruptive" || deeds === "destructive") return false;
  return operationFacts[deeds].effect === "read";
}

/** Error messages are complete sentences; unknown keys are errors. */
export const PolicyFile = z.strictObject(
  {
    rules: z
      .array(RuleInFile, { error: "rules: must stand in the file, with a list of rules under it." })
      .min(1, "There is no rule, so nobody could do anything: write at least one."),
  },
  { error: "The file must be a map with rules: and a list of rules under it." },
);

/** The valid keys at a path, for suggestions. */
export function knownKeys(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return Object.keys(PolicyFile.shape);
  if (path.length === 2) return Object.keys(RuleInFile.shape);
  const last = path.at(-1);
  if (last === "workloads") return Object.keys(Workloads.shape);
  if (last === "approve") return Object.keys(Approve.shape);
  return path.length === 3 && last === "then" ? ["allow", "refuse", "break-glass", "approve"] : [];
}

import type { ActionId, Risk } from "./operation-facts.ts";

/** A word of `does`: all reads, writes of one risk, anything, or one action. */
export type RuleActions = "read" | Risk | "anything" | ActionId;

export type RuleEnd =
  | { readonly kind: "allow" }
  | { readonly kind: "break-glass" }
  | { readonly kind: "approve"; readonly terms: Terms }
  /** `say` replaces the generated sentence. */
  | { readonly kind: "refuse"; readonly say: string | undefined };

/** A list that is undefined matches everything. */
export type Rule = {
  readonly name: string;
  /** Where it begins in the file, counted from 1. */
  readonly line: number;
  /** `members`, `guests`, `outsiders`, `everyone`, or ids of users and user groups. */
  readonly who: readonly string[];
  /** `dm`, `channels`, or ids of channels. */
  readonly where: readonly string[] | undefined;
  readonly does: readonly RuleActions[];
  readonly kinds: readonly ("service" | "job")[] | undefined;
  /** Patterns with `*`, as in `regions` and `accounts`. */
  readonly names: readonly string[] | undefined;
  readonly regions: readonly string[] | undefined;
  readonly accounts: readonly string[] | undefined;
  /** Patterns of images: see `matchesImage`. */
  readonly images: readonly string[] | undefined;
  readonly limits: Limits | undefined;
  readonly end: RuleEnd;
};

/** The largest size that a rule is about; undefined for any. */
export type Limits = {
  readonly instances: number | undefined;
  /** Of each instance, with all its containers. */
  readonly memoryMiB: number | undefined;
  /** How many times the instances that it has. Small numbers are no big step: see `ALWAYS_SMALL`. */
  readonly growth: number | undefined;
};

/** Rules in order: the first that matches decides; without a match the answer is no. */
export type Policy = {
  /** The name of the file, for people. */
  readonly source: string;
  readonly rules: readonly Rule[];
};

/** A channel, or the direct message with the bot. */
export type Where = { readonly kind: "channel" | "dm"; readonly channelId: string };

/** A container of each instance. Undefined is unknown. */
export type ContainerFacts = {
  readonly image: string | undefined;
  /** Its limit; 0 is no limit. */
  readonly memoryMiB: number | undefined;
  /** It starts before the others: an init container `ends` before the next one starts, and a native sidecar `runs on`. */
  readonly init?: "ends" | "runs on" | undefined;
};

/** What a workload runs once a change is made; what it runs now, for one that only stops or deletes it. */
export type Footprint = {
  /** Those that start before the others come last, in order. Undefined when they aren't known. */
  readonly containers: readonly ContainerFacts[] | undefined;
  /** The limit of an instance as a whole, if it has one. */
  readonly instanceMiB?: number | undefined;
  readonly instances: number | undefined;
  /** The instances before a change of their number, none before a creation. Undefined for a change that keeps it. */
  readonly grownFrom?: number | "unknown" | undefined;
};

/** May this person do this here? Undefined means unknown. */
export type Question = {
  readonly person: Person;
  readonly where: Where;
  readonly op: ActionId;
  /** Undefined for a read. */
  readonly risk: Risk | undefined;
  /**
   * A list has no name. The kind of a bare name is unknown until the workload is read. A binding has only a region.
   */
  readonly workload: {
    readonly kind: "service" | "job" | undefined;
    readonly region: string | undefined;
    readonly name: string | undefined;
  };
  /** Of a change. Only rules with images or limits look at it. */
  readonly footprint?: Footprint | undefined;
  /** The username of the account that would be used. */
  readonly account: string | undefined;
  /** Break-glass rules count only with `--break-glass`. */
  readonly breakGlass: boolean;
};

/**
 * A person's role in the workspace, as Slack reports it now.
 * - `member`: a full member · `guest`: a guest, of one channel or several
 * - `outsider`: from another organization, in a shared channel
 * - `bot`, `deactivated`: never allowed to do anything
 */
export type Standing = "member" | "guest" | "outsider" | "bot" | "deactivated";

/** A person as rules see them: a Slack id, and the current real name for messages and history. */
export type Person = {
  readonly userId: string;
  readonly name: string;
  readonly standing: Standing;
  /** `unknown` when Slack could not be asked; it allows nothing. */
  readonly inGroup: (groupId: string) => boolean | "unknown";
};

/** Who may approve. `channelMembers`: any full member of the card's channel. */
export type Approvers = {
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly channelMembers: boolean;
};

/** The terms of an approval; stored with the Change as they were when it was requested. */
export type Terms = {
  /** Number of approvals, at least 1. */
  readonly votes: number;
  readonly from: Approvers;
  /** Whether the requester's own approval counts. */
  readonly selfApproval: boolean;
  readonly reasonRequired: boolean;
  readonly expiresMs: number;
  /** A channel id; undefined for the channel of the request. */
  readonly cardIn: string | undefined;
  /** Who the card mentions: the user groups, groups and users, or nobody. */
  readonly mention: "groups" | "all" | "nobody";
};

/** The answer to a Question. `rule` names the rule that decided; undefined when none matched. */
export type Verdict =
  | { readonly kind: "allow"; readonly rule: string }
  /** Runs at once with a reason; the channel is told, and history marks it. */
  | { readonly kind: "break-glass"; readonly rule: string }
  | {
      readonly kind: "approve";
      readonly rule: string;
      readonly terms: Terms;
      /** "2 → 500 instances", where a smaller step would be allowed. */
      readonly bigStep?: string | undefined;
    }
  | {
      readonly kind: "refuse";
      readonly rule: string | undefined;
      /** Complete sentences, like `next`. */
      readonly why: string;
      readonly next: string;
    };

/** New ids of channels by their old ones. */
export type MovedChannels = ReadonlyMap<string, string>;

/** Rules that name a channel by an id it had apply to it under its new one, too: no rule stops holding unnoticed. */
export function withMovedChannels(policy: Policy, moved: MovedChannels): Policy {
  const rules = policy.rules.map((rule) => {
    const where = rule.where?.flatMap((word) => [word, ...(moved.has(word) ? [moved.get(word) ?? word] : [])]);
    return { ...rule, where, end: movedEnd(rule.end, moved) };
  });
  return { ...policy, rules };
}

function movedEnd(end: Rule["end"], moved: MovedChannels): Rule["end"] {
  if (end.kind !== "approve" || end.terms.cardIn === undefined) return end;
  return { ...end, terms: { ...end.terms, cardIn: moved.get(end.terms.cardIn) ?? end.terms.cardIn } };
}

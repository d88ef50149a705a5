import type { ActionId } from "./operation-facts.ts";

/** Where somebody asks: a channel, or the conversation with the bot alone. */
export type PolicyPlace = { readonly kind: "channel" | "dm"; readonly channelId: string };

/** What a rule may ask about: may this person do this here? `undefined` stands for what is not known (yet). */
export type Question = {
  readonly person: Person;
  readonly place: PolicyPlace;
  readonly op: ActionId;
  /** Only of a write. */
  readonly risk: Risk | undefined;
  /**
   * A list is about no single workload and has no name; of a bare name the kind is not known before it is read. Of a
   * channel that is bound, only the region is said: a binding is about no workload, and nothing is done with an account.
   */
  readonly workload: {
    readonly kind: "service" | "job" | undefined;
    readonly region: string | undefined;
    readonly name: string | undefined;
  };
  /** The user name of the account it would be done with. */
  readonly account: string | undefined;
  /** Whether they said `--break-glass`: only then rules for it are looked at. */
  readonly breakGlass: boolean;
};

/**
 * What somebody is in the workspace, as Slack tells it now.
 * - `member`: a full member · `guest`: a guest, of one channel or several
 * - `outsider`: a person of another organisation, in a shared channel
 * - `bot`, `deactivated`: never may do anything
 */
export type Standing = "member" | "guest" | "outsider" | "bot" | "deactivated";

/** A person as a rule sees them. Slack's ids; the name is the real one at this moment, for people and for history. */
export type Person = {
  readonly userId: string;
  readonly name: string;
  readonly standing: Standing;
  /** Whether they are in a user group now; `unknown` when Slack did not tell, which opens nothing. */
  readonly inGroup: (groupId: string) => boolean | "unknown";
};

/**
 * How much a write can hurt, from one table in `changes/risk.ts`: `routine` adds (create, start, scale up, add a
 * domain), `disruptive` interrupts (restart, stop, scale down, memory), `destructive` takes away (delete, scale to 0,
 * remove a domain).
 */
export type Risk = "routine" | "disruptive" | "destructive";

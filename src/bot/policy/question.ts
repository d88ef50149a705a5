import type { ActionId } from "./operation-facts.ts";

/** A channel, or the direct message with the bot. */
export type Where = { readonly kind: "channel" | "dm"; readonly channelId: string };

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

/**
 * How much harm a write can do, see `operationFacts` and `changes/updatable-fields.ts`: `routine` adds (create, start, scale up, add a
 * domain), `disruptive` interrupts (restart, stop, scale down, memory), `destructive` removes (delete, scale to 0,
 * remove a domain).
 */
export type Risk = "routine" | "disruptive" | "destructive";

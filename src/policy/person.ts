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

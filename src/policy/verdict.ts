/** Who may vote. `channelMembers`: any full member of the channel in which the card stands. */
export type Approvers = {
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly channelMembers: boolean;
};

/** What an approval takes; kept with the Change as it was when it was asked for. */
export type Terms = {
  /** How many votes, at least 1. */
  readonly votes: number;
  readonly from: Approvers;
  /** Whether the requester's own vote counts; off unless a rule says so. */
  readonly selfApproval: boolean;
  readonly reasonRequired: boolean;
  readonly expiresMs: number;
  /** A channel id, or the channel in which it was asked. */
  readonly cardIn: string | undefined;
  /** Who is mentioned on the card: the user groups, groups and users, or nobody. */
  readonly mention: "groups" | "all" | "nobody";
};

/** What the policy says to a Question. `rule` is the name of the rule that decided; without one, no rule matched. */
export type Verdict =
  | { readonly kind: "allow"; readonly rule: string }
  /** At once, with a reason, told to the channel and marked in history. */
  | { readonly kind: "break-glass"; readonly rule: string }
  | { readonly kind: "approve"; readonly rule: string; readonly terms: Terms }
  | {
      readonly kind: "refuse";
      readonly rule: string | undefined;
      /** Complete sentences for the person. */
      readonly why: string;
      readonly next: string;
    };

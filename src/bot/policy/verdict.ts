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
  | { readonly kind: "approve"; readonly rule: string; readonly terms: Terms }
  | {
      readonly kind: "refuse";
      readonly rule: string | undefined;
      /** Complete sentences, like `next`. */
      readonly why: string;
      readonly next: string;
    };

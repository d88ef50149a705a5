/** The workspace, a channel, or a person. The workspace's account is configured in the environment, or connected by an admin. */
export type AccountOwner =
  | { readonly kind: "workspace" }
  | { readonly kind: "channel"; readonly channelId: string }
  | { readonly kind: "user"; readonly userId: string };

/** An account without its token: safe to show, log and store. */
export type AccountRef = { readonly owner: AccountOwner; readonly username: string };

/** An account with its token, which must not be shown, logged or stored unsealed. */
export type OpenAccount = AccountRef & { readonly token: string };

/** `own`: only the person's own account. `fallback`: the person's, else the channel's, else the workspace's. */
export type AccountMode = "own" | "fallback";

/** The person and channel that an account is resolved for. A direct message has no account of its own. */
export type AccountSeeker = { readonly teamId: string; readonly userId: string; readonly channelId: string };

/** A linked account as stored. */
export type LinkedAccount = {
  readonly teamId: string;
  readonly owner: AccountOwner;
  readonly username: string;
  /** Sealed for this team, owner and username; it can't be opened for another row. */
  readonly sealedToken: string;
  /** A Slack id. */
  readonly linkedBy: string;
  readonly linkedAt: Date;
};

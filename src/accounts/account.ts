/** Whose account: the workspace's (from the environment), a channel's, or a person's own. */
export type AccountOwner =
  | { readonly kind: "workspace" }
  | { readonly kind: "channel"; readonly channelId: string }
  | { readonly kind: "user"; readonly userId: string };

/** An account as it may be shown, logged and stored in clear. */
export type AccountRef = { readonly owner: AccountOwner; readonly username: string };

/** An account that can be used. The token must not be shown, logged or stored in clear. */
export type OpenAccount = AccountRef & { readonly token: string };

/** `own`: only ever the person's own account. `fallback`: the person's own, else the channel's, else the workspace's. */
export type AccountMode = "own" | "fallback";

/** Someone in a place, for whom an account is looked for. A conversation with the bot has no account of its own. */
export type AccountSeeker = { readonly teamId: string; readonly userId: string; readonly channelId: string };

/** A linked account as it lies in the database. */
export type LinkedAccount = {
  readonly teamId: string;
  readonly owner: Exclude<AccountOwner, { readonly kind: "workspace" }>;
  readonly username: string;
  /** The token, sealed for this team, owner and user name: it opens nowhere else. */
  readonly sealedToken: string;
  /** Who linked it, by Slack id, and when. */
  readonly linkedBy: string;
  readonly linkedAt: Date;
};

/** The app in one workspace, or in all workspaces of an organization. */
export type NewInstallation = {
  /** The workspace's id, or the organization's when `isOrgWide`. */
  readonly id: string;
  readonly isOrgWide: boolean;
  readonly enterpriseId: string | undefined;
  /** Of the workspace or organization. */
  readonly name: string;
  readonly appId: string;
  readonly botUserId: string;
  readonly scopes: readonly string[];
  /** Tokens, sealed for this installation alone. */
  readonly sealedTokens: string;
  /** Undefined for a token that doesn't expire. */
  readonly expiresAt: Date | undefined;
  /** A Slack id. */
  readonly installedBy: string;
};

export type Installation = NewInstallation & {
  /** Rises with every new token. */
  readonly version: number;
  readonly installedAt: Date;
};

/** Where a payload comes from. */
export type Source = { readonly teamId: string | undefined; readonly enterpriseId: string | undefined };

export type NewTokens = Pick<NewInstallation, "sealedTokens" | "expiresAt">;

/** A workspace that the app was removed from, and who ends what waits there. */
export type Closing = {
  readonly teamId: string;
  /** Ends requests: the bot. */
  readonly by: { readonly userId: string; readonly name: string };
};

/** What Slack tells about installations. */
export type Installations = {
  /** The app was removed, or its bot token was revoked. */
  readonly removed: (source: Source, at: Date) => Promise<void>;
  /** An organization took the app from some of its workspaces. */
  readonly left: (teamIds: readonly string[]) => Promise<void>;
  /** A workspace got an event that a profile changed: people of an organization are in several. */
  readonly personChanged: (teamId: string, userId: string) => Promise<void>;
};

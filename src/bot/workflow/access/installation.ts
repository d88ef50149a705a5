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

/** Installations of an app that several workspaces use. Every time is the database's. */
export type InstallationRows = {
  /** Installs or replaces. Cards that went out of date while the app was away are drawn again. */
  readonly saveInstallation: (installation: NewInstallation) => Promise<void>;
  readonly installationById: (id: string) => Promise<Installation | undefined>;
  /** The workspace's own installation, else its organization's. */
  readonly findInstallation: (source: Source) => Promise<Installation | undefined>;
  /** The same for a workspace that was seen before. */
  readonly installationOf: (teamId: string) => Promise<Installation | undefined>;
  /** Ids with their versions. */
  readonly installationVersions: () => Promise<ReadonlyMap<string, number>>;
  /** Remembers that a workspace uses its organization's installation. */
  readonly noteOrgWorkspace: (teamId: string, enterpriseId: string) => Promise<void>;
  /** Workspaces that were seen using an installation. */
  readonly workspacesOf: (installation: Installation) => Promise<readonly string[]>;
  /** Stores exchanged tokens, unless the app was installed again meanwhile. True: stored. */
  readonly rotated: (installation: Installation, tokens: NewTokens) => Promise<boolean>;
  /** The same tokens sealed with another key; nothing when they were replaced meanwhile. */
  readonly resealTokens: (installation: Installation, sealedTokens: string) => Promise<void>;
  /** Slack may have ended it: somebody has to ask. */
  readonly suspectInstallation: (id: string) => Promise<void>;
  /** Deletes the installation with its tokens. False: it was gone or replaced meanwhile. */
  readonly removeInstallation: (installation: Pick<Installation, "id" | "version">) => Promise<boolean>;
  /**
   * Ends requests that wait, deletes accounts, bindings, settings of people and sealed content. History stays. Repeating
   * it changes nothing.
   */
  readonly closeWorkspace: (closing: Closing) => Promise<void>;
};

/** What Slack tells about installations. */
export type Installations = {
  /** The app was removed, or its bot token was revoked. */
  readonly removed: (source: Source, at: Date) => Promise<void>;
  /** An organization took the app from some of its workspaces. */
  readonly left: (teamIds: readonly string[]) => Promise<void>;
  /** Somebody's profile changed, as a workspace heard: people of an organization are in several. */
  readonly personChanged: (teamId: string, userId: string) => Promise<void>;
};

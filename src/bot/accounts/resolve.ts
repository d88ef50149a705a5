import { UserError } from "../errors.ts";
import { type Sealer, SealError } from "./seal.ts";

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
export type AccountSeeker = {
  readonly teamId: string;
  readonly userId: string;
  readonly channelId: string;
  /** The username of the account whose workloads were shown: only this one is used. */
  readonly account?: string | undefined;
};

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

export type FoundAccounts = {
  readonly own: LinkedAccount | undefined;
  readonly channel: LinkedAccount | undefined;
  /** Connected by a workspace admin. */
  readonly workspace?: LinkedAccount | undefined;
};

export type AccountRules = {
  readonly mode: AccountMode;
  /** The workspace's account from the environment, which goes before a connected one; undefined when not configured. */
  readonly configured: OpenAccount | undefined;
  readonly sealer: Sealer;
  readonly seeker: AccountSeeker;
  /** The username that the channel is bound to: only this account is used there. */
  readonly wanted?: string | undefined;
};

/** Binds a sealed token to its team, owner and username, so that it can't be opened for another row. */
export function boundTo({ teamId, owner, username }: Pick<LinkedAccount, "teamId" | "owner" | "username">): string[] {
  return ["account", teamId, owner.kind, ownerId(owner), username];
}

/**
 * The account that a person uses in a channel, or the one that they clicked about. Throws a `UserError` when there is
 * none or they can't use it, and when the linked one can't be opened: falling back to another account would act as
 * someone else than the person expects.
 */
export function resolveAccount(found: FoundAccounts, rules: AccountRules): OpenAccount {
  const { mode, configured, seeker, wanted } = rules;
  if (seeker.account !== undefined) return shownAccount(found, { ...rules, shown: seeker.account });
  if (wanted !== undefined) return wantedAccount(found, { ...rules, wanted });
  if (found.own !== undefined) return opened(found.own, own(seeker), rules);
  if (mode === "own") {
    const message = "You haven't connected an account, and everybody here uses their own.";
    throw new UserError(message, {
      next: "Connect yours with `/gantry connect`. A form asks for the user name and token.",
    });
  }
  if (found.channel !== undefined) return opened(found.channel, ofChannel(seeker), rules);
  const workspace = configured ?? found.workspace;
  if (workspace !== undefined) return ofEverybody(workspace, rules);
  throw new UserError("No account is connected for you, this channel or the workspace.", {
    next:
      "Connect yours with `/gantry connect`, or one for this channel with `/gantry connect channel`. " +
      "A workspace admin can connect one for everybody with `/gantry connect workspace`.",
  });
}

/** The account that the channel is bound to. Throws a `UserError` when it isn't connected anywhere. */
function wantedAccount(found: FoundAccounts, rules: AccountRules & { readonly wanted: string }): OpenAccount {
  const { mode, wanted } = rules;
  const account = usableAccount(found, rules, wanted);
  if (account !== undefined) return account;
  const [missing, connect] =
    mode === "fallback"
      ? ["isn't connected", "Connect it with `/gantry connect`, or for everybody here with `/gantry connect channel`."]
      : ["isn't connected for you", "Connect it with `/gantry connect`."];
  throw new UserError(`This channel uses the account ${wanted}, which ${missing}.`, {
    next: `${connect} To see or change the channel's account: \`/gantry use\``,
  });
}

/**
 * The account whose workloads a message showed to whoever clicks in it. Throws a `UserError` when this person can't use it
 * here: their own account may have another workload of the same name.
 */
function shownAccount(found: FoundAccounts, rules: AccountRules & { readonly shown: string }): OpenAccount {
  const { shown, wanted } = rules;
  const account = wanted === undefined || wanted === shown ? usableAccount(found, rules, shown) : undefined;
  if (account !== undefined) return account;
  const usual = usualUsername(found, rules);
  const other = usual === undefined ? "and you have no account here" : `and you use the account ${usual} here`;
  throw new UserError(`This belongs to the account ${shown}, ${other}. Nothing was changed.`, {
    next: "Ask somebody who uses that account. To act on your own workload, type the command.",
  });
}

/** The account with this username, if the person may use it here. */
function usableAccount(found: FoundAccounts, rules: AccountRules, username: string): OpenAccount | undefined {
  const { mode, configured, seeker } = rules;
  if (found.own?.username === username) return opened(found.own, own(seeker), rules);
  if (mode === "own") return undefined;
  if (found.channel?.username === username) return opened(found.channel, ofChannel(seeker), rules);
  const workspace = configured ?? found.workspace;
  return workspace?.username === username ? ofEverybody(workspace, rules) : undefined;
}

/** The account of a command that the person types here; undefined when there is none. */
export function usualUsername(
  { own: mine, channel, workspace }: FoundAccounts,
  { mode, configured, wanted }: Pick<AccountRules, "mode" | "configured" | "wanted">,
): string | undefined {
  if (wanted !== undefined) return wanted;
  const shared = mode === "own" ? undefined : (channel ?? configured ?? workspace);
  return (mine ?? shared)?.username;
}

/**
 * The account that a stored Change was requested with, for its requester (`seeker`). Throws a `UserError` when it was
 * unlinked or replaced since, when the account mode no longer allows it, or when it can't be opened. A new token for
 * the same username is the same account.
 */
export function openStoredAccount(ref: AccountRef, found: FoundAccounts, rules: AccountRules): OpenAccount {
  const { mode, configured, seeker } = rules;
  if (mode === "own" && ref.owner.kind !== "user") {
    const message = `This was requested with ${whose[ref.owner.kind]} account. Everybody now has to use their own.`;
    throw notSent(message);
  }
  switch (ref.owner.kind) {
    case "workspace":
      if (configured?.username === ref.username) return configured;
      if (isSame(found.workspace, ref)) return opened(found.workspace, ofWorkspace, rules);
      break;
    case "user":
      if (isSame(found.own, ref)) return opened(found.own, own(seeker), rules);
      break;
    case "channel":
      if (isSame(found.channel, ref)) return opened(found.channel, ofChannel(seeker), rules);
  }
  throw notSent(`The account of this request (${ref.username}) was changed or disconnected.`);
}

const whose: Readonly<Record<AccountOwner["kind"], string>> = {
  workspace: "the workspace's",
  channel: "the channel's",
  user: "a person's own",
};

function notSent(message: string): UserError {
  return new UserError(`${message} Nothing was changed.`, { next: "Request it again." });
}

function ofEverybody(account: OpenAccount | LinkedAccount, rules: AccountRules): OpenAccount {
  return "token" in account ? account : opened(account, ofWorkspace, rules);
}

const ofWorkspace: AccountOwner = { kind: "workspace" };

function own({ userId }: AccountSeeker): AccountOwner {
  return { kind: "user", userId };
}

function ofChannel({ channelId }: AccountSeeker): AccountOwner {
  return { kind: "channel", channelId };
}

function ownerId(owner: AccountOwner): string {
  if (owner.kind === "workspace") return "";
  return owner.kind === "user" ? owner.userId : owner.channelId;
}

function isSame(linked: LinkedAccount | undefined, { owner, username }: AccountRef): linked is LinkedAccount {
  return linked?.username === username && linked.owner.kind === owner.kind && ownerId(linked.owner) === ownerId(owner);
}

/** Opens the token for the seeker, not for the owner in the row: another person's row then can't be opened. */
function opened(linked: LinkedAccount, owner: AccountOwner, { sealer, seeker }: AccountRules): OpenAccount {
  const { username, sealedToken } = linked;
  try {
    const token = sealer.open(sealedToken, boundTo({ teamId: seeker.teamId, owner, username }));
    return { owner, username, token };
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw unopened(linked, error);
  }
}

const whoseAgain: Readonly<Record<AccountOwner["kind"], { readonly which: string; readonly again: string }>> = {
  user: { which: "your account", again: "connect" },
  channel: { which: "this channel's account", again: "connect channel" },
  workspace: { which: "the workspace's account", again: "connect workspace" },
};

function unopened({ owner, username }: LinkedAccount, cause: SealError): UserError {
  const { which, again } = whoseAgain[owner.kind];
  const why = cause.reason === "damaged" ? "its stored token is damaged" : "the key that sealed its token is missing";
  const error = new UserError(`Couldn't use ${which} (${username}): ${why}. Nothing was changed.`, {
    next: `Connect it again with \`/gantry ${again}\`, or contact your Gantry admin.`,
  });
  error.cause = cause;
  return error;
}

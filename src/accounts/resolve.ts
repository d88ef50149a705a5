import { UserError } from "../errors.ts";
import type { AccountMode, AccountOwner, AccountRef, AccountSeeker, LinkedAccount, OpenAccount } from "./account.ts";
import { type Sealer, SealError } from "./seal.ts";

export type FoundAccounts = { readonly own: LinkedAccount | undefined; readonly channel: LinkedAccount | undefined };

export type AccountRules = {
  readonly mode: AccountMode;
  /** From the environment; undefined when not configured. */
  readonly workspace: OpenAccount | undefined;
  readonly sealer: Sealer;
  readonly seeker: AccountSeeker;
  /** The username that the channel is bound to: only this account is used there. */
  readonly wanted?: string | undefined;
};

/** Binds a sealed token to its team, owner and username, so that it can't be opened for another row. */
export function boundTo({ teamId, owner, username }: Pick<LinkedAccount, "teamId" | "owner" | "username">): string[] {
  return ["account", teamId, owner.kind, owner.kind === "user" ? owner.userId : owner.channelId, username];
}

/**
 * The account that a person uses in a channel. Throws a `UserError` when there is none, and when the linked one can't
 * be opened: falling back to another account would act as someone else than the person expects.
 */
export function resolveAccount(found: FoundAccounts, rules: AccountRules): OpenAccount {
  const { mode, workspace, seeker, wanted } = rules;
  if (wanted !== undefined) return wantedAccount(found, { ...rules, wanted });
  if (found.own !== undefined) return opened(found.own, own(seeker), rules);
  if (mode === "own") {
    const message = "You have no account of your own linked, and here everybody acts with their own only.";
    throw new UserError(message, { next: "Type connect to link yours; it opens a form for the user name and token." });
  }
  if (found.channel !== undefined) return opened(found.channel, ofChannel(seeker), rules);
  if (workspace !== undefined) return workspace;
  throw new UserError("There is no account to act with: neither you, this channel nor the workspace has one.", {
    next: "Type connect to link yours, or connect channel to link one for everybody here.",
  });
}

/** The account that the channel is bound to. Throws a `UserError` when it isn't linked anywhere. */
function wantedAccount(found: FoundAccounts, rules: AccountRules & { readonly wanted: string }): OpenAccount {
  const { mode, workspace, seeker, wanted } = rules;
  if (found.own?.username === wanted) return opened(found.own, own(seeker), rules);
  const isShared = mode === "fallback";
  if (isShared && found.channel?.username === wanted) return opened(found.channel, ofChannel(seeker), rules);
  if (isShared && workspace?.username === wanted) return workspace;
  const [nobody, link] = isShared
    ? ["neither you, the channel nor the workspace has it", "connect to link it, or connect channel for everybody here"]
    : ["you have not linked it; everybody acts with their own only", "connect to link it"];
  throw new UserError(`This channel is bound to the account ${wanted}, and ${nobody}.`, {
    next: `Type ${link}. Type use to see what this channel is bound to; who may bind it can change that with use.`,
  });
}

/**
 * The account that a stored Change was requested with, for its requester (`seeker`). Throws a `UserError` when it was
 * unlinked or replaced since, when the account mode no longer allows it, or when it can't be opened. A new token for
 * the same username is the same account.
 */
export function openStoredAccount(ref: AccountRef, found: FoundAccounts, rules: AccountRules): OpenAccount {
  const { mode, workspace, seeker } = rules;
  if (mode === "own" && ref.owner.kind !== "user") {
    const message = `This was asked for with ${whose[ref.owner.kind]} account, and by now everybody may act with their own only.`;
    throw notSent(message);
  }
  switch (ref.owner.kind) {
    case "workspace":
      if (workspace?.username === ref.username) return workspace;
      break;
    case "user":
      if (isSame(found.own, ref)) return opened(found.own, own(seeker), rules);
      break;
    case "channel":
      if (isSame(found.channel, ref)) return opened(found.channel, ofChannel(seeker), rules);
  }
  throw notSent(`The account that this was asked for with (${ref.username}) was changed or unlinked meanwhile.`);
}

const whose: Readonly<Record<AccountOwner["kind"], string>> = {
  workspace: "the workspace's",
  channel: "the channel's",
  user: "a person's own",
};

function notSent(message: string): UserError {
  return new UserError(`${message} Nothing was sent.`, { next: "Ask for it again." });
}

type LinkedOwner = LinkedAccount["owner"];

function own({ userId }: AccountSeeker): LinkedOwner {
  return { kind: "user", userId };
}

function ofChannel({ channelId }: AccountSeeker): LinkedOwner {
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
function opened(linked: LinkedAccount, owner: LinkedOwner, { sealer, seeker }: AccountRules): OpenAccount {
  const { username, sealedToken } = linked;
  try {
    const token = sealer.open(sealedToken, boundTo({ teamId: seeker.teamId, owner, username }));
    return { owner, username, token };
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw unopened(linked, error);
  }
}

function unopened({ owner, username }: LinkedAccount, cause: SealError): UserError {
  const [which, again] =
    owner.kind === "user"
      ? ["Your linked account", "connect"]
      : ["The account linked to this channel", "connect channel"];
  const why = cause.reason === "damaged" ? "what is stored of it is damaged" : "the key that sealed it is missing";
  const error = new UserError(`${which} (${username}) cannot be opened, because ${why}. Nothing was sent.`, {
    next: `Type ${again} to link it again, or ask those who run the bot: their log says more.`,
  });
  error.cause = cause;
  return error;
}

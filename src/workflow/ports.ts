import type { AccountRef, AccountSeeker, OpenAccount } from "../accounts/account.ts";
import type { Card, StoredChange } from "../changes/stored-change.ts";
import type { Binding } from "../policy/binding.ts";
import type { Standing } from "../policy/question.ts";
import type { Message, Post } from "../views/kit/message.ts";
import type { Origin } from "./origin.ts";
import type { SealedChange } from "./sealed-change.ts";

/**
 * What the workflow needs from outside. `slack/` implements People, Cards and Responder, `access/accounts.ts` Accounts;
 * `store/` implements the Store. Functions declare the few ports they use: `{ people, clock }: Pick<Ports, "people" | "clock">`.
 */
export type Ports = {
  readonly people: People;
  readonly cards: Cards;
  readonly responder: Responder;
  readonly accounts: Accounts;
  readonly clock: Clock;
};

export type Profile = { readonly userId: string; readonly name: string; readonly standing: Standing };

export type People = {
  /**
   * Throws a `UserError` when Slack can't say: people who can't be checked may do nothing. `called` names the person in
   * that sentence when somebody else reads it.
   */
  readonly profile: (userId: string, maxAgeMs: number, called?: string) => Promise<Profile>;
  /** Ids of a user group's members; none for a group that was deleted. Throws a `UserError` when Slack can't say. */
  readonly groupMembers: (groupId: string, maxAgeMs: number) => Promise<ReadonlySet<string>>;
  /** Handles of the workspace's user groups by id, "oncall". Rejects when Slack can't say. */
  readonly groupHandles: () => Promise<ReadonlyMap<string, string>>;
  /** Ids of a conversation's members, the bot included; undefined where the bot isn't one. Throws a `UserError`. */
  readonly channelMembers: (channelId: string, maxAgeMs: number) => Promise<ReadonlySet<string> | undefined>;
  /** The bot's own user, name and workspace, as far as Slack has confirmed them. */
  readonly bot: () => {
    readonly userId: string | undefined;
    readonly name: string;
    readonly teamId: string | undefined;
  };
};

export type Cards = {
  /**
   * Updates the card of a Change, and its thread, to the latest version; posts the card first if there is none. Any
   * replica may call it at any time. Never rejects because of Slack: a card that can't be drawn now is drawn later.
   * `opened` is the content of the Change, if it was unsealed already.
   */
  readonly draw: (changeId: string, opened?: SealedChange) => Promise<void>;
  /** Removes the buttons of a message that is no longer the card of a Change. Never rejects. */
  readonly retire: (change: StoredChange, card: Card) => Promise<void>;
  /** The link to a card; undefined when Slack can't say. Never rejects. */
  readonly link: (change: StoredChange) => Promise<string | undefined>;
  /** Tells only the requester, where a card can't be posted. False: nobody was reached, and a retry is worthwhile. Never rejects. */
  readonly tellRequester: (change: StoredChange) => Promise<boolean>;
};

export type Responder = {
  /** Answers where the interaction came from; `isShared`: for everybody in the channel. Never rejects. */
  readonly answer: (message: Message, origin: Origin, options: { readonly isShared: boolean }) => Promise<void>;
  /** Shows a message to one person. False: Slack took it by no route. Never rejects. */
  readonly tell: (message: Post, origin: Origin) => Promise<boolean>;
  /** Tells everybody in a channel; false where the bot may not post. Never rejects. */
  readonly announce: (channelId: string, message: Post) => Promise<boolean>;
  /** Replaces an open form. False: it was closed, or Slack refused the view. Never rejects. */
  readonly showInForm: (viewId: string, view: object) => Promise<boolean>;
  /** Redraws a person's Home, later. */
  readonly refreshHome: (origin: Origin) => void;
};

/** The account a person acts with, and what their channel implies. */
export type Here = {
  readonly account: OpenAccount;
  readonly binding: Binding | undefined;
  /** The person's own default region. */
  readonly region: string | undefined;
};

export type Accounts = {
  /** Throws a `UserError` when no account applies here, or when that can't be checked. */
  readonly here: (seeker: AccountSeeker, effect: "read" | "write") => Promise<Here>;
  /** The account of a stored Change. Throws a `UserError`, or a `StoreError`: cached answers don't count. */
  readonly again: (ref: AccountRef, seeker: AccountSeeker) => Promise<OpenAccount>;
  /** Drops cached answers after somebody linked, bound or set something. */
  readonly forget: () => void;
};

export type Clock = {
  readonly now: () => Date;
  /** Between a write and its read-back, and between health checks. */
  readonly wait: (ms: number) => Promise<void>;
};

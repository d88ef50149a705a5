import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import type { GuardedApi } from "../../api/client.ts";
import type { AccountRef, AccountSeeker, OpenAccount } from "../accounts/resolve.ts";
import type { Sealer } from "../accounts/seal.ts";
import type { Announcement } from "../changes/history-event.ts";
import type { Settings } from "../commands/command.ts";
import type { Directory } from "../commands/lookup/directory.ts";
import type { Finding } from "../health/finding.ts";
import type { Binding } from "../policy/binding.ts";
import type { Policy } from "../policy/policy.ts";
import type { WorkspaceStore } from "../store/store.ts";
import type { Message, Post } from "../views/kit/post.ts";
import type { WorkloadLogs } from "./access/env-values.ts";
import type { DueLoop } from "./due.ts";
import type { Answering, Dropped, SentForm } from "./inbox/interaction.ts";
import type { Lanes } from "./inbox/lanes.ts";
import type { Origin } from "./origin.ts";
import type { Sender, TakenCard } from "./posts.ts";
import type { Profile, Source } from "./stored.ts";

// What the workflow needs from outside. `slack/` implements People, Responder and Sender, `access/accounts.ts` Accounts, and
// `store/` everything that is kept.

/** Dependencies of the workflow for one workspace. Functions that carry a request on take all of them, others pick. */
export type WorkflowParts = {
  readonly accounts: Accounts;
  readonly api: Pick<GuardedApi, "as" | "engine" | "changes">;
  readonly calls: CallCounts;
  /** The check-up of the workspace. Never rejects. */
  readonly checkup: () => Promise<readonly Finding[]>;
  readonly clock: WorkflowClock;
  readonly directory: Directory;
  readonly dropped: Dropped;
  readonly lanes: Lanes;
  readonly log: Logger;
  readonly logs: WorkloadLogs;
  readonly people: People;
  readonly policy: () => Policy;
  readonly responder: Responder;
  readonly sealer: Sealer;
  readonly sender: Sender;
  readonly settings: Settings;
  /** Does leased work in its lane. */
  readonly start: DueLoop["start"];
  /**
   * Delivers a message that was just scheduled; the card of a request has its id. False: Slack doesn't take it now, or another replica
   * has it, and it is delivered later. Never rejects because of Slack or the database.
   */
  readonly deliver: (post: Pick<Announcement, "id">, teamId: string, taken?: TakenCard) => Promise<boolean>;
  readonly store: WorkspaceStore;
};

/**
 * The most that an answer about people may be old, in milliseconds: where it decides, who is in a group or channel
 * elsewhere, and who somebody is elsewhere. Slack tells of changed profiles.
 */
export const freshness = { deciding: 10_000, reading: 60_000, profile: 24 * 60 * 60_000 } as const;

export type People = {
  /**
   * Throws a `UserError` when Slack can't say: people who can't be checked may do nothing. `called` names the person in
   * that sentence when somebody else reads it.
   */
  readonly profile: (userId: string, maxAgeMs: number, called?: string) => Promise<Profile>;
  /**
   * The profiles of some of these people by id, for reading: all that are known without asking Slack, and a bounded
   * number of others until there are enough. Those that Slack doesn't tell are left out.
   */
  readonly someProfiles: (
    userIds: readonly string[],
    isEnough: (profiles: readonly Profile[]) => boolean,
  ) => Promise<ReadonlyMap<string, Profile>>;
  /** Slack tells of a user object that changed, or of somebody who joined; `isLate`: a while ago. */
  readonly profileChanged: (user: unknown, how: { readonly isLate: boolean; readonly isNew: boolean }) => Promise<void>;
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
  /** The clock that ages are counted by. */
  readonly nowMs: () => number;
};

export type Responder = {
  /**
   * Answers a read where it came from; `isShared`: for everybody in the channel. `inDirect`: as they may read it in their direct
   * message, which it goes to instead of a channel that takes nothing. Waits some seconds for the connection to Slack. Never rejects.
   */
  readonly answer: (
    message: Message,
    origin: Origin,
    options: { readonly isShared: boolean; readonly inDirect?: (() => Promise<Message>) | undefined },
  ) => Promise<void>;
  /** Shows a message to one person. False: Slack took it by no route; `maybe`: only its answer was lost. Never rejects. */
  readonly tell: (message: Post, origin: Origin) => Promise<boolean | "maybe">;
  /** The same for words that aren't stored, so nobody sends them later. Like `answer`, it waits for the connection. */
  readonly tellPatiently: (message: Post, origin: Origin) => Promise<void>;
  /**
   * Shows that their request is being worked on. Resolves to what removes it again; Slack lets nobody remove or replace
   * what answered a slash command, so there it stays. Never rejects.
   */
  readonly working: (origin: Origin) => Promise<() => Promise<void>>;
  /** Replaces an open form. False: it was closed, or Slack refused the view. Never rejects. */
  readonly showInForm: (viewId: string, view: object) => Promise<boolean>;
  /** Answers in the form that was submitted; beside it, if it was closed meanwhile. */
  readonly formReply: (form: SentForm, origin: Origin) => Answering;
  /** Redraws a person's Home, later. */
  readonly refreshHome: (origin: Origin) => void;
};

/** The account a person acts with, and what their channel implies. */
export type ResolvedAccount = {
  readonly account: OpenAccount;
  /** False: a command that this person types here uses another one. */
  readonly isUsual: boolean;
  readonly binding: Binding | undefined;
  /** The person's own default region. */
  readonly region: string | undefined;
};

export type CallCounts = {
  /** Of all replicas in this UTC day; of this process alone while the database is away. */
  readonly today: (username: string) => Promise<{ readonly count: number; readonly since: Date }>;
  /** Writes down the calls counted since the last flush. */
  readonly flush: () => Promise<void>;
};

export type Accounts = {
  /** Throws a `UserError` when no account applies here, or when that can't be checked. */
  readonly resolve: (seeker: AccountSeeker, effect: "read" | "write") => Promise<ResolvedAccount>;
  /** The account of a stored Change. Throws a `UserError`, or a `StoreError`: cached answers don't count. */
  readonly reopen: (ref: AccountRef, seeker: AccountSeeker) => Promise<OpenAccount>;
  /** Drops cached answers after somebody linked, bound or set something. */
  readonly forget: () => void;
  /** The workspace's account is in Gantry's settings, so nobody connects one. */
  readonly isConfigured: boolean;
};

/** The platform's, with two pauses that a story may shorten without moving the time of day. */
export type WorkflowClock = Clock & {
  /** Before a waiting person is shown that something happens. */
  readonly patience: Clock["after"];
  /** Between a write and its read-back, and before the first poll of its workload. */
  readonly wait: (ms: number) => Promise<void>;
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

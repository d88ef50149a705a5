import type { JsonObject } from "../json.ts";

export type User = {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly role: string;
  readonly isBot: boolean;
  readonly isGuest: boolean;
  /** The workspace they belong to: another one for people of another organisation. */
  readonly teamId: string;
  /** The Web API leaves their workspace out: the fields of a user object vary with how the app meets that person. */
  readonly isTeamHidden: boolean;
  isDeactivated: boolean;
  /** Slack signs the deactivated out, a moment later; until then they can still do things. */
  isSignedOut: boolean;
};

export type Channel = {
  readonly id: string;
  readonly name: string;
  readonly kind: "public" | "private" | "im";
  readonly members: Set<string>;
  /** Ids of other workspaces whose people may be in it. */
  readonly sharedWith: Set<string>;
  isArchived: boolean;
};

export type UserGroup = {
  readonly id: string;
  readonly handle: string;
  readonly name: string;
  readonly users: readonly string[];
};

export type SharedFile = {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly bytes: Uint8Array;
  readonly createdMs: number;
};

export type Message = {
  readonly ts: string;
  readonly channel: string;
  readonly user: string;
  text: string;
  blocks: readonly JsonObject[];
  attachments: readonly JsonObject[];
  readonly files: readonly SharedFile[];
  readonly threadTs?: string;
  /** Also shown in the channel, though a reply. */
  readonly isBroadcast: boolean;
  /** Only this user sees it. */
  readonly ephemeralTo?: string;
  editedTs?: string;
  isMrkdwn: boolean;
  /** Names such as @channel in its text are live without <>. */
  parsesNames: boolean;
  metadata?: JsonObject;
  /** Grows with every change in the workspace: what is newer than a revision is new to who looked then. */
  revision: number;
};

export type Upload = {
  readonly id: string;
  readonly name: string;
  readonly length: number;
  bytes?: Uint8Array;
  isComplete: boolean;
};

export type ViewState = { readonly [blockId: string]: { readonly [actionId: string]: JsonObject } };

export type View = {
  readonly id: string;
  readonly user: string;
  readonly type: "modal" | "home";
  readonly rootId: string;
  readonly previousId: string | null;
  /** title, submit, close, blocks, private_metadata …: what the bot sent, with block ids filled in. */
  content: JsonObject;
  state: ViewState;
  /** What the bot answered to a submission, by block_id. */
  errors: Readonly<Record<string, string>>;
  hash: string;
  revision: number;
};

type Trigger = { readonly user: string; readonly madeMs: number; isUsed: boolean };

/** What a response_url may change: the message under the clicked button, or nothing after a slash command. */
export type ResponseUrl = {
  readonly user: string;
  readonly channel: string;
  readonly madeMs: number;
  readonly original: Message | undefined;
  uses: number;
};

/** A message that is being written: when it last grew, and how many blocks its chunks brought. */
export type Stream = { touchedMs: number; blocks: number; isStopped: boolean };

export type Deletion = {
  readonly channel: string;
  readonly ts: string;
  readonly ephemeralTo: string | undefined;
  readonly revision: number;
};

/** Everything that is so in the workspace. Drawing reads it, nothing here draws. */
export type State = {
  readonly users: Map<string, User>;
  readonly channels: Map<string, Channel>;
  readonly groups: Map<string, UserGroup>;
  readonly messages: Message[];
  readonly deletions: Deletion[];
  readonly files: Map<string, SharedFile>;
  readonly uploads: Map<string, Upload>;
  /** Open modals by user, the one on top last. */
  readonly modals: Map<string, View[]>;
  readonly homes: Map<string, View>;
  readonly triggers: Map<string, Trigger>;
  readonly responseUrls: Map<string, ResponseUrl>;
  /** Messages that are, or were, written piece by piece, by "channel ts". */
  readonly streams: Map<string, Stream>;
  /** Up to which ts a person has read a channel or a thread, by "user place". */
  readonly reads: Map<string, string>;
  revision: number;
};

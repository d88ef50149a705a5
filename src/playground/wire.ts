import type { Json } from "./json.ts";
import type { Channel, Message, SharedFile, User, UserGroup, View } from "./workspace/state.ts";

// The data sent to the page. Types only, without any Node types: the page's code imports this file.

/** Somebody of another organization is an outsider. */
export type WireUser = Readonly<Omit<User, "teamId" | "isTeamHidden" | "isSignedOut">> & {
  readonly isOutsider: boolean;
};

/** `partner` is the other side of a direct conversation. */
export type WireChannel = Readonly<Pick<Channel, "id" | "name" | "kind" | "isArchived">> & {
  readonly partner?: string;
  readonly members: readonly string[];
  readonly hasBot: boolean;
};

export type WireFile = Pick<SharedFile, "id" | "name" | "title"> & { readonly size: number };

export type WireMessage = Readonly<
  Pick<Message, "ts" | "channel" | "user" | "text" | "blocks" | "threadTs" | "isBroadcast">
> & {
  readonly files: readonly WireFile[];
  readonly isEphemeral: boolean;
  readonly isEdited: boolean;
};

export type WireView = Readonly<Omit<View, "user" | "revision">>;

/** The app's Socket Mode and its connections. */
export type WireSockets = {
  readonly isOn: boolean;
  readonly isFull: boolean;
  readonly isMute: boolean;
  /** The open connections by name. */
  readonly open: readonly string[];
};

/** An exchange without its bodies, which are fetched by id. */
export type WireExchange = {
  readonly id: number;
  readonly direction: "to bot" | "from bot";
  readonly kind: string;
  readonly atMs: number;
  readonly status: number | null;
  readonly ms: number | null;
  /** The connection of a delivery over Socket Mode; null over HTTP. */
  readonly connection: string | null;
  /** "ok", or the error of Slack or the bot; "" while the answer is pending. */
  readonly outcome: string;
  readonly refusal: { readonly rule: string; readonly link: string; readonly sentence: string } | null;
};

/** `envelope` is that of a delivery over Socket Mode, without its payload. */
export type WireExchangeBodies = { readonly request: Json; readonly envelope: Json; readonly answer: Json };

export type WireCommand = { readonly command: string; readonly description: string; readonly usageHint: string };

type WireShortcut = {
  readonly name: string;
  readonly callbackId: string;
  readonly type: "global" | "message";
  readonly description: string;
};

/**
 * "lost": the request is carried out, and the answer is a 500 all the same. "late": it is carried out, and the answer
 * comes after `lateMs`. "slow": it is carried out after `lateMs`, also when nobody waits any more. "blocks": blocks are
 * refused, and nothing is done; a request without blocks is answered normally. "plans": the same for plan blocks. "cut": nothing is done,
 * and the connection breaks off.
 */
export type Failure =
  | "429"
  | "500"
  | "503"
  | "garbage"
  | "cut"
  | "hang"
  | "lost"
  | "late"
  | "slow"
  | "blocks"
  | "plans";

/** Faults that hold until they are switched off. */
export type FaultSettings = {
  /** Each answer to the bot is this late. */
  slowMs: number;
  /** Retry-After of a 429. */
  retryAfterSeconds: number;
  /** Commands, clicks and submissions are delivered a second time, with the same trigger_id. */
  deliverTwice: boolean;
  /** Requests to the bot are signed with another secret. */
  signsWrongly: boolean;
  /** The age of the signature on requests to the bot; a bot refuses more than five minutes. */
  signatureAgeSeconds: number;
  /** Every method answers this instead of accepting the token: "token_revoked", "invalid_auth", "account_inactive". */
  tokenError: string;
  /** Scopes of the manifest that the token lacks, as after a manifest grew and nobody reinstalled the app. */
  missingScopes: readonly string[];
  /** The workspace lets nobody upload files. */
  refusesUploads: boolean;
};

export type WireFaults = Readonly<FaultSettings> & {
  /** "": Slack answers normally. */
  readonly answers: Failure | "";
  /** The scope of `answers`: a method's name, "response_url", or "all". */
  readonly answersTo: string;
  readonly isNetworkCut: boolean;
  /** Null when the app gets its deliveries over HTTP. */
  readonly sockets: WireSockets | null;
  /** The id of the only channel of `answers`; "" is everywhere. */
  readonly answersIn: string;
  readonly extra: readonly { readonly label: string; readonly on: boolean }[];
};

/** An app that workspaces install themselves. */
type WireInstall = {
  readonly isInstalled: boolean;
  /** The address of the page that installs it. */
  readonly url: string;
  /** The organization that has installed it for all of its workspaces. */
  readonly org: string | null;
};

/** Everything except messages and exchanges. Small, and sent whole when anything in it changes. */
export type WireSnapshot = {
  readonly you: string;
  /** The name of the workspace. */
  readonly team: string;
  /** All workspaces of this playground, each with somebody to act as there. */
  readonly workspaces: readonly { readonly name: string; readonly as: string }[];
  /** Null for an app that is in its one workspace from the start. */
  readonly install: WireInstall | null;
  readonly app: {
    readonly name: string;
    readonly user: string;
    readonly scopes: readonly string[];
    readonly commands: readonly WireCommand[];
    readonly shortcuts: readonly WireShortcut[];
  };
  readonly users: readonly WireUser[];
  /** Ids of the people one can act as. */
  readonly people: readonly string[];
  readonly groups: readonly UserGroup[];
  readonly channels: readonly WireChannel[];
  readonly modal: WireView | null;
  readonly home: WireView | null;
  /** The ts up to which this person has read a channel, or "channel/thread". */
  readonly reads: Readonly<Record<string, string>>;
  readonly faults: WireFaults;
};

/** One server-sent event. */
export type WireUpdate = {
  /** Replace the current data: this update is complete. */
  readonly isWhole: boolean;
  readonly snapshot?: WireSnapshot;
  /** New and changed. */
  readonly messages: readonly WireMessage[];
  readonly gone: readonly { readonly channel: string; readonly ts: string }[];
  readonly exchanges: readonly WireExchange[];
};

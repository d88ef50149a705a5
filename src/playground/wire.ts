import type { Json, JsonObject } from "./json.ts";

// The data sent to the page. Types only, without any Node types: the page's code imports this file.

export type WireUser = {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly role: string;
  readonly isBot: boolean;
  readonly isGuest: boolean;
  readonly isAdmin: boolean;
  /** Belongs to another organization. */
  readonly isOutsider: boolean;
  readonly isDeactivated: boolean;
};

export type WireGroup = {
  readonly id: string;
  readonly handle: string;
  readonly name: string;
  readonly users: readonly string[];
};

/** `partner` is the other side of a direct conversation. */
export type WireChannel = {
  readonly id: string;
  readonly name: string;
  readonly kind: "public" | "private" | "im";
  readonly partner?: string;
  readonly members: readonly string[];
  readonly hasBot: boolean;
  readonly isArchived: boolean;
};

export type WireFile = { readonly id: string; readonly name: string; readonly title: string; readonly size: number };

export type WireMessage = {
  readonly ts: string;
  readonly channel: string;
  readonly user: string;
  readonly text: string;
  readonly blocks: readonly JsonObject[];
  readonly files: readonly WireFile[];
  readonly threadTs?: string;
  readonly isEphemeral: boolean;
  readonly isEdited: boolean;
};

export type WireView = {
  readonly id: string;
  readonly type: "modal" | "home";
  readonly content: JsonObject;
  /** state.values: by block_id, then action_id. */
  readonly state: { readonly [blockId: string]: { readonly [actionId: string]: JsonObject } };
  readonly errors: Readonly<Record<string, string>>;
  readonly hash: string;
  /** The window or terminal that opened it: see `windowSession`. "" is shown in every window. */
  readonly session: string;
};

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

/** "": Slack answers normally. */
export type SlackAnswers =
  | ""
  | "429"
  | "500"
  | "503"
  | "cut"
  | "hang"
  | "lost"
  | "garbage"
  | "late"
  | "slow"
  | "blocks"
  | "plans";

export type WireFaults = {
  readonly slowMs: number;
  readonly deliverTwice: boolean;
  readonly signsWrongly: boolean;
  readonly signatureAgeSeconds: number;
  readonly retryAfterSeconds: number;
  readonly answers: SlackAnswers;
  /** The scope of `answers`: a method's name, "response_url", or "all". */
  readonly answersTo: string;
  readonly isNetworkCut: boolean;
  /** Null when the app gets its deliveries over HTTP. */
  readonly sockets: WireSockets | null;
  /** The id of the only channel of `answers`; "" is everywhere. */
  readonly answersIn: string;
  /** The error with which Slack refuses the token, or "". */
  readonly tokenError: string;
  readonly missingScopes: readonly string[];
  readonly refusesUploads: boolean;
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
  readonly groups: readonly WireGroup[];
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

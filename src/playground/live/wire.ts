import type { Json, JsonObject } from "../json.ts";

// What the page is sent. Types only, and none that needs Node: the page's code reads this file too.

export type WireUser = {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly role: string;
  readonly isBot: boolean;
  readonly isGuest: boolean;
  /** Of another organisation. */
  readonly isOutsider: boolean;
  readonly isDeactivated: boolean;
};

export type WireGroup = {
  readonly id: string;
  readonly handle: string;
  readonly name: string;
  readonly users: readonly string[];
};

/** A place where one can talk. `partner` is the other side of a direct conversation. */
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
  readonly attachments: readonly JsonObject[];
  readonly files: readonly WireFile[];
  readonly threadTs?: string;
  readonly isBroadcast: boolean;
  readonly isEphemeral: boolean;
  readonly isEdited: boolean;
  readonly isMrkdwn: boolean;
};

export type WireView = {
  readonly id: string;
  readonly type: "modal" | "home";
  readonly content: JsonObject;
  /** state.values: by block_id, then action_id. */
  readonly state: { readonly [blockId: string]: { readonly [actionId: string]: JsonObject } };
  readonly errors: Readonly<Record<string, string>>;
  readonly hash: string;
};

/** An exchange without its bodies; these are asked for by id. */
export type WireExchange = {
  readonly id: number;
  readonly direction: "to bot" | "from bot";
  readonly kind: string;
  readonly atMs: number;
  readonly status: number | null;
  readonly ms: number | null;
  /** "ok", or what Slack or the bot said went wrong; "" while there is no answer. */
  readonly outcome: string;
  readonly refusal: { readonly rule: string; readonly link: string; readonly sentence: string } | null;
};

export type WireExchangeBodies = { readonly request: Json; readonly answer: Json };

export type WireCommand = { readonly command: string; readonly description: string; readonly usageHint: string };

export type WireShortcut = {
  readonly name: string;
  readonly callbackId: string;
  readonly type: "global" | "message";
  readonly description: string;
};

/** "": Slack answers as it should. */
export type SlackAnswers = "" | "429" | "500" | "hang" | "lost" | "garbage" | "late" | "blocks";

export type WireFaults = {
  readonly slowMs: number;
  readonly deliverTwice: boolean;
  readonly signsWrongly: boolean;
  readonly signatureAgeSeconds: number;
  readonly retryAfterSeconds: number;
  readonly answers: SlackAnswers;
  /** What is answered so: a method's name, "response_url", or "all". */
  readonly answersTo: string;
  readonly extra: readonly { readonly label: string; readonly on: boolean }[];
};

/** All but messages and exchanges: small, and sent whole when anything in it changes. */
export type WireSnapshot = {
  readonly you: string;
  readonly app: {
    readonly name: string;
    readonly user: string;
    readonly commands: readonly WireCommand[];
    readonly shortcuts: readonly WireShortcut[];
  };
  readonly users: readonly WireUser[];
  /** Ids of those one can be. */
  readonly people: readonly string[];
  readonly groups: readonly WireGroup[];
  readonly channels: readonly WireChannel[];
  /** The modal on top, and how many lie under it. */
  readonly modal: WireView | null;
  readonly modalsBelow: number;
  readonly home: WireView | null;
  /** Up to which ts this person has read a place: a channel, or "channel/thread". */
  readonly reads: Readonly<Record<string, string>>;
  readonly faults: WireFaults;
};

/** One server-sent event. */
export type WireUpdate = {
  /** Forget what you have: this is all there is. */
  readonly isWhole: boolean;
  readonly snapshot?: WireSnapshot;
  /** New and changed. */
  readonly messages: readonly WireMessage[];
  readonly gone: readonly { readonly channel: string; readonly ts: string }[];
  readonly exchanges: readonly WireExchange[];
};

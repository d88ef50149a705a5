import { z } from "zod";
import type { JsonObject } from "../json.ts";

/** A workspace; those of an organization also carry it. https://docs.slack.dev/enterprise */
export type Team = {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  readonly enterprise?: Enterprise;
};

export type Enterprise = { readonly id: string; readonly name: string };

/** The bot user in a workspace: its user id and bot id. */
export type BotUser = { readonly user: string; readonly id: string };

/** As it is saved, too. */
export const UserShape = z.object({
  id: z.string(),
  name: z.string(),
  realName: z.string(),
  role: z.string(),
  isBot: z.boolean(),
  isGuest: z.boolean(),
  /** Of their own workspace. */
  isAdmin: z.boolean().default(false),
  /** The id of their workspace; people of other organizations have another one. */
  teamId: z.string(),
  /** The Web API omits their workspace, since fields vary: https://docs.slack.dev/reference/methods/users.info */
  isTeamHidden: z.boolean(),
  isDeactivated: z.boolean(),
  /** Slack signs deactivated people out a moment later; until then they can still act. */
  isSignedOut: z.boolean(),
});
type UserFlag = "isGuest" | "isAdmin" | "isDeactivated" | "isSignedOut";
export type User = Readonly<Omit<z.infer<typeof UserShape>, UserFlag>> & Pick<z.infer<typeof UserShape>, UserFlag>;

export type Channel = {
  readonly id: string;
  name: string;
  kind: "public" | "private" | "im";
  readonly members: Set<string>;
  /** Ids of other workspaces whose people may join. */
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
  /** Another one after the channel's id changed. */
  channel: string;
  readonly user: string;
  text: string;
  blocks: readonly JsonObject[];
  readonly files: readonly SharedFile[];
  readonly threadTs?: string;
  /** A reply that is also shown in the channel. */
  readonly isBroadcast?: true;
  /** Visible to this user only. */
  readonly ephemeralTo?: string;
  editedTs?: string;
  /** Stands for a deleted message that has replies. */
  readonly isTombstone?: true;
  /** The workspace's revision at the last change of this message. */
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
  /** title, submit, close, blocks, private_metadata …: the bot's view, with block ids filled in. */
  content: JsonObject;
  state: ViewState;
  /** Errors of the last submission, by block_id. */
  errors: Readonly<Record<string, string>>;
  hash: string;
  revision: number;
  /** The page or terminal that opened a modal; Slack shows it there and in no other window. */
  readonly session: string;
};

type Trigger = { readonly user: string; readonly madeMs: number; isUsed: boolean };

/** The message that a response_url may replace: the one with the clicked button, none after a slash command. */
export type ResponseUrl = {
  readonly user: string;
  readonly channel: string;
  readonly madeMs: number;
  readonly original: Message | undefined;
  uses: number;
};

export type Deletion = {
  readonly channel: string;
  readonly ts: string;
  readonly ephemeralTo: string | undefined;
  readonly revision: number;
};

/** The complete state of the workspace. */
export type State = {
  readonly team: Team;
  /** The app's bot user, also while the app isn't installed. */
  readonly bot: BotUser;
  /** Put into new ids, so that no two workspaces have the same. */
  readonly mark: string;
  readonly users: Map<string, User>;
  readonly channels: Map<string, Channel>;
  readonly groups: Map<string, UserGroup>;
  readonly messages: Message[];
  readonly deletions: Deletion[];
  readonly files: Map<string, SharedFile>;
  readonly uploads: Map<string, Upload>;
  /** Open modals by user. The bot stacks none. */
  readonly modals: Map<string, View>;
  readonly homes: Map<string, View>;
  readonly triggers: Map<string, Trigger>;
  readonly responseUrls: Map<string, ResponseUrl>;
  /** The ts up to which a person has read a channel or thread, by "user channel" or "user channel/thread". */
  readonly reads: Map<string, string>;
  /** The page or terminal in which a person acted last, by user. */
  readonly sessions: Map<string, string>;
  revision: number;
};

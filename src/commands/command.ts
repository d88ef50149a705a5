import type { AccountApi } from "../api/client.ts";
import type { Change } from "../changes/change.ts";
import type { Message } from "../views/message.ts";
import type { Ask } from "./ask.ts";
import type { Directory } from "./directory.ts";

/** What is configured once for the whole deployment, as far as a verb needs it. */
export type Settings = {
  /** The slash command as people type it; two deployments can share a workspace. */
  readonly command: string;
  readonly region: string;
  /** Known regions, for help and completion. Any identifier is accepted. */
  readonly regions: readonly string[];
  /** Where the service answers, as shown to people: without a token. */
  readonly serviceUrl: string;
  readonly logFrom: "offset" | "page";
  /** An IANA zone: in which days of the log are counted. */
  readonly logZone: string;
  readonly resourcesKey: "resources" | "resource";
};

/** Who asks, and where. */
export type Asker = { readonly userId: string; readonly channelId: string };

export type AccountInfo = {
  readonly username: string;
  readonly maskedToken: string;
  readonly calls: { readonly count: number; readonly since: Date };
};

/** What a verb is given to work with. */
export type Context = {
  readonly api: AccountApi;
  readonly account: AccountInfo;
  readonly directory: Directory;
  readonly settings: Settings;
  readonly asker: Asker;
  readonly now: Date;
  /** Aborted when the bot stops and can wait no longer. */
  readonly signal: AbortSignal;
};

export type Option = {
  /** As typed: `--region R`. */
  readonly flag: string;
  readonly summary: string;
};

type Described = {
  readonly name: string;
  readonly summary: string;
  /** Without the command's name: `scale NAME N`. */
  readonly usage: string;
  /** Without the command's name: `scale web 4`. */
  readonly example: string;
  readonly options: readonly Option[];
  /** Words after the verb to an Ask. Pure; throws a `UserError` that carries the usage line. */
  readonly parse: (words: readonly string[]) => Ask;
};

/** A verb that only looks. */
export type ReadCommand = Described & {
  readonly effect: "read";
  /** Throws `UserError` or `Problem`. */
  readonly answer: (ask: Ask, context: Context) => Promise<Message>;
};

/** A verb that changes something: it says what would change, and nothing else. */
export type WriteCommand = Described & {
  readonly effect: "write";
  /** Reads at most twice; throws `UserError` or `Problem`; sends no write. */
  readonly propose: (ask: Ask, context: Context) => Promise<Change>;
};

export type Command = ReadCommand | WriteCommand;

import type { AccountOwner } from "../accounts/account.ts";
import type { AccountApi } from "../api/client.ts";
import type { Change, WorkloadRef } from "../changes/change.ts";
import type { HistoryEvent, HistoryQuery } from "../changes/history-event.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import type { Excerpt } from "../logs/excerpt.ts";
import type { ExcerptRequest } from "../logs/excerpt-request.ts";
import type { Binding, BindingTerms } from "../policy/binding.ts";
import type { ActionId } from "../policy/operation-facts.ts";
import type { Standing } from "../policy/person.ts";
import type { Question } from "../policy/question.ts";
import type { Risk } from "../policy/risk.ts";
import type { Approvers, Verdict } from "../policy/verdict.ts";
import type { Message } from "../views/kit/message.ts";
import type { Ask } from "./ask.ts";
import type { Directory } from "./lookup/directory.ts";
import type { Form, FormValues } from "./forms/form.ts";
import type { Target } from "./grammar/target.ts";

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

/** Who asks, with their real name, and where. */
export type Asker = {
  readonly userId: string;
  readonly name: string;
  readonly standing: Standing;
  readonly teamId: string;
  readonly channelId: string;
};

export type AccountInfo = {
  readonly owner: AccountOwner;
  readonly username: string;
  /** Of all replicas together, in this UTC day. */
  readonly calls: () => Promise<{ readonly count: number; readonly since: Date }>;
};

/** What policy is asked about: the person, the place and the account are those of the Ask. */
export type About = Pick<Question, "op" | "risk" | "workload">;

/** The policy, bound to a person in a place with an account. Reads group membership live; throws nothing. */
export type Permissions = {
  readonly verdict: (about: About, options?: { readonly breakGlass?: boolean }) => Promise<Verdict>;
  /** The best that may come of any of these, whatever the workload is called: what help shows. */
  readonly outlook: (
    actions: readonly Action[],
    options?: { readonly breakGlass?: boolean },
  ) => Promise<"allow" | "approve" | "refuse">;
  /** Real names of people who could approve here now, the asker left out; at most a few, and how many there are. */
  readonly approvers: (from: Approvers) => Promise<{ readonly names: readonly string[]; readonly count: number }>;
};

/**
 * History and pending changes that this person may see: their own requests, and those about workloads they may look at.
 * Throws a `UserError` when the database can't be reached.
 */
export type Records = {
  /** Also includes changes they may approve or reject. */
  readonly pending: () => Promise<readonly StoredChange[]>;
  readonly history: (query: Omit<HistoryQuery, "teamId">) => Promise<HistoryRows>;
};

export type HistoryRows = {
  /** Newest first, at most the requested number. */
  readonly events: readonly HistoryEvent[];
  /** Pass as `before` to get the next page; undefined on the last one. */
  readonly older: number | undefined;
};

/** Log pages, redacted for display. */
export type Logs = {
  /** Redacts and filters off the main thread. Throws a `UserError` when that takes too long. */
  readonly excerpt: (request: ExcerptRequest, workload: Logged) => Promise<Excerpt>;
  /** Whether the workload's environment was read recently: its values are redacted as well. */
  readonly knowsEnv: (workload: Logged) => boolean;
};
export type Logged = Pick<WorkloadRef, "kind" | "region" | "name">;

/** What the channel in which somebody asks is bound to. */
export type ChannelBinding = Binding & {
  /** Whether it is about workloads of this name. */
  readonly covers: (name: string) => boolean;
};

/** What a verb is given to work with. */
export type Context = {
  readonly permissions: Permissions;
  readonly records: Records;
  readonly logs: Logs;
  readonly api: AccountApi;
  readonly account: AccountInfo;
  readonly directory: Directory;
  /** Its region is the one that is meant without --region here: of the binding, of the person, or the configured one. */
  readonly settings: Settings;
  /** The configured region, which answers need not name. */
  readonly defaultRegion: string;
  /** Undefined where the channel is not bound. */
  readonly binding: ChannelBinding | undefined;
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

/** Something a verb can do, as policy tells such things apart. */
export type Action = { readonly op: ActionId; readonly risk: Risk | undefined };

type CommandBase = {
  readonly name: string;
  readonly summary: string;
  /** Without the command's name: `scale NAME N`. */
  readonly usage: string;
  /** Without the command's name: `scale web 4`. */
  readonly example: string;
  readonly options: readonly Option[];
  /** Everything that may come of the verb; empty for what nobody needs a rule for (help, whoami, votes). */
  readonly actions: readonly Action[];
  /** Words after the verb to an Ask. Pure; throws a `UserError` that carries the usage line. */
  readonly parse: (words: readonly string[]) => Ask;
  /** The same Ask by pointing; undefined for a verb without arguments. */
  readonly form?: Form;
  /** What stands in words that lack only what the form can still ask for; undefined when they are complete or wrong. Pure. */
  readonly unfinished?: (words: readonly string[]) => FormValues | undefined;
};

/** A verb that only looks. */
export type ReadCommand = CommandBase & {
  readonly effect: "read";
  /** What a rule has to allow before `answer` is called; undefined where nobody needs one. Pure. */
  readonly about: (ask: Ask, settings: Settings) => About | undefined;
  /** Throws `UserError` or `Problem`. */
  readonly answer: (ask: Ask, context: Context) => Promise<Message>;
};

/** A verb that changes something: it says what would change, and nothing else. */
export type WriteCommand = CommandBase & {
  readonly effect: "write";
  /** The requested workload. Pure. */
  readonly target: (ask: Ask) => Target;
  /**
   * Makes at most two reads and no write. Throws `UserError` or `Problem`. Only `judgedChange` calls it, after asking
   * policy.
   */
  readonly propose: (ask: Ask, context: Context) => Promise<Change>;
  /**
   * The arguments, besides the name, with which this verb takes the change back; undefined when it can't. `undoAsk` asks
   * every verb. Pure.
   */
  readonly undo?: (change: Change) => Ask["args"] | undefined;
};

/** A verb that decides about a Change that waits. Who may is checked where it is stored. */
export type DecideCommand = CommandBase & {
  readonly effect: "decide";
  /** Pure. */
  readonly decision: (ask: Ask) => Decision;
};

export type Decision = {
  readonly kind: "approve" | "reject" | "cancel";
  readonly changeId: string;
  readonly reason: string | undefined;
};

/** A verb that links or unlinks an account: it opens a form, because a token never stands in a command line. */
export type LinkCommand = CommandBase & {
  readonly effect: "link";
  /** Pure. */
  readonly link: (ask: Ask) => { readonly kind: "connect" | "disconnect"; readonly whose: "mine" | "channel" };
};

/** A verb that binds the channel in which it is typed. Whether policy lets somebody do that is checked where it is stored. */
export type BindCommand = CommandBase & {
  readonly effect: "bind";
  /** Pure. */
  readonly binding: (ask: Ask) => BindingWish;
};

export type BindingWish =
  /** What it is bound to now. */
  { readonly kind: "show" } | { readonly kind: "bind"; readonly terms: BindingTerms } | { readonly kind: "clear" };

export type Command = ReadCommand | WriteCommand | DecideCommand | LinkCommand | BindCommand;

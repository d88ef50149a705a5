import type { Clock } from "../../platform/clock.ts";
import type { CanApprove } from "../views/cards/change-facts.ts";
import type { AccountOwner } from "../accounts/resolve.ts";
import type { GuardedAccountApi } from "../../api/client.ts";
import type { EngineInfo } from "../../api/engine-info.ts";
import type { Change, WorkloadRef } from "../changes/change.ts";
import type { HistoryEvent, HistoryQuery } from "../changes/history-event.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import type { Excerpt, ExcerptRequest } from "../logs/excerpt.ts";
import type { Binding, BindingTerms } from "../policy/binding.ts";
import type { Outcome } from "../policy/evaluate.ts";
import type { ActionId, Risk, WriteOperationId } from "../policy/operation-facts.ts";
import type { Standing, Question, Approvers, Verdict } from "../policy/policy.ts";
import type { Message } from "../views/kit/post.ts";
import type { Block } from "../views/kit/blocks.ts";
import type { Ask } from "../ask.ts";
import type { FilledForm, FormFacts, FormField, FormValues } from "./forms/form.ts";
import type { Directory } from "./lookup/directory.ts";
import type { DigestTime, LastPoll, Mute, QuietHours, Watch } from "../watch/watch.ts";
import type { LogPoll } from "./verbs/logs/log-answers.ts";
import type { Target } from "./grammar/argument-types.ts";
import type { Until } from "./verbs/watch/watch-words.ts";

/** Every region that Gantry knows by name. */
export function regionNames({ regions, jobsRegion }: Pick<Settings, "regions" | "jobsRegion">): readonly string[] {
  return [...new Set([...regions, jobsRegion])];
}

/** Configuration of the deployment that verbs need. */
export type Settings = {
  /** The slash command as people type it; two deployments can share a workspace. */
  readonly command: string;
  readonly region: string;
  /** Known regions, for help and completion. Any identifier is accepted. */
  readonly regions: readonly string[];
  /** Where jobs run; services run in the others, and may run here too. */
  readonly jobsRegion: string;
  /** The workload API's address for people, without a token. */
  readonly serviceUrl: string;
  readonly logFrom: "offset" | "page";
  /** An IANA time zone: the days of the log begin in it. */
  readonly logZone: string;
  readonly resourcesKey: "resources" | "resource";
  /** A changed service has to be ready for so long, without a restart, to count as healthy; in milliseconds. */
  readonly healthyAfterMs: number;
  /** API calls a day that watching may make with one account; undefined without a limit. */
  readonly watchCallsPerDay: number | undefined;
  /** Of Gantry. */
  readonly version: string;
  /** The name of its machine; in a pod, that of the pod. */
  readonly host: string;
};

/** The person who asks, with their real name, and where. */
export type Asker = {
  readonly userId: string;
  readonly name: string;
  readonly standing: Standing;
  /** Their IANA time zone; undefined when it isn't known. */
  readonly zone?: string | undefined;
  readonly teamId: string;
  readonly channelId: string;
};

export type AccountInfo = {
  readonly owner: AccountOwner;
  readonly username: string;
  /** False: a command that this person types here uses another one. */
  readonly isUsual: boolean;
  /** Counts all replicas together, in this UTC day. */
  readonly calls: () => Promise<{ readonly count: number; readonly since: Date }>;
};

/** A question to policy without the person, channel and account, which the context adds. */
export type About = Pick<Question, "op" | "risk" | "workload" | "footprint">;

type VerdictOptions = {
  readonly breakGlass?: boolean;
  /** The footprint isn't known yet: the best verdict with any. It decides nothing that runs. */
  readonly isAtBest?: boolean;
};

/** The policy for one person in one channel with one account. Reads group membership live; never throws. */
export type Permissions = {
  readonly verdict: (about: About, options?: VerdictOptions) => Promise<Verdict>;
  /** The best outcome of any of these actions, for any workload or for this one. */
  readonly outlook: (
    actions: readonly Action[],
    options?: { readonly breakGlass?: boolean; readonly workload?: { readonly region: string; readonly name: string } },
  ) => Promise<Outcome>;
  /** People who could approve here now, without the asker. */
  readonly approvers: (from: Approvers) => Promise<CanApprove>;
};

/**
 * History and pending changes that this person may see: their own requests, and those about workloads they may look at.
 * Throws a `UserError` when the database can't be reached.
 */
export type Records = {
  /** Also includes changes they may approve or reject. */
  readonly pending: () => Promise<readonly StoredChange[]>;
  readonly history: (query: Omit<HistoryQuery, "teamId">) => Promise<HistoryRows>;
  /** The newest change of this person's own that can be taken back and is meant. */
  readonly undoable: (isMeant: (change: StoredChange) => boolean) => Promise<Undoable | undefined>;
  /** This person's watches, and in a channel those of everybody that tell there. */
  readonly watches: () => Promise<Watches>;
  /** Whether they may approve or reject it now; false when they have approved it already. Can cost a Slack call. */
  readonly mayDecide: (change: StoredChange) => Promise<boolean>;
};

/** Watches that tell somewhere, and what is muted there now. */
export type Watches = {
  readonly watches: readonly Watch[];
  readonly mutes: readonly Mute[];
  readonly lastPolls: readonly LastPoll[];
};

/** A change that can be taken back, with its latest row of history. */
export type Undoable = { readonly change: StoredChange; readonly event: HistoryEvent };

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
  /** True when the workload's environment was read recently, so that its values are redacted too. */
  readonly knowsEnv: (workload: Logged) => boolean;
};
export type Logged = Pick<WorkloadRef, "kind" | "region" | "name">;

/** The binding of the channel in which the person asks. */
export type ChannelBinding = Binding & {
  /** True when the binding's pattern matches this workload name. */
  readonly covers: (name: string) => boolean;
};

/** Everything a verb may use; it has no other way to the outside. */
export type Context = {
  readonly permissions: Permissions;
  readonly records: Records;
  readonly logs: Logs;
  readonly api: GuardedAccountApi;
  /** The engine behind the workload API; undefined when it doesn't say. Never rejects. */
  readonly engine: () => Promise<EngineInfo | undefined>;
  readonly account: AccountInfo;
  readonly directory: Directory;
  /** Its region applies without --region: the binding's, else the person's, else the configured one. */
  readonly settings: Settings;
  /** The configured region. Answers don't have to name it. */
  readonly defaultRegion: string;
  /** Undefined in a channel without a binding. */
  readonly binding: ChannelBinding | undefined;
  readonly asker: Asker;
  readonly now: Date;
  readonly clock: Pick<Clock, "limit">;
  /** Aborted when the bot stops and its grace period is over. */
  readonly signal: AbortSignal;
};

/** The context of one Ask. A verb gets it with its arguments. */
export type VerbContext = Context & {
  readonly ask: Ask;
  readonly region: string;
  readonly actions: readonly Action[];
  readonly sends: readonly Sent[];
};

/** An operation that a verb sends; of an update, the part of the service that it changes. */
export type Sent = { readonly operation: WriteOperationId; readonly part?: string };

export type Option = {
  /** As typed: `--region R`. */
  readonly flag: string;
  readonly summary: string;
};

/** One thing that a verb can do, as a policy rule names it. */
export type Action = { readonly op: ActionId; readonly risk: Risk | undefined };

/** A sentence in the notation of `grammar/plain-sentences.ts`, and the command that it means. */
export type Phrase = readonly [says: string, means: string];

/** A form for the arguments of a verb. It leads to the same Ask as words. */
export type Form = {
  /** At most 24 characters, like `submit`. */
  readonly title: string;
  readonly submit: string;
  /** In order; some depend on the values of others. Pure. */
  readonly fields: (values: FormValues) => readonly FormField[];
  /** Facts for the decision, with at most one call when the kind is known. Throws what `propose` throws. */
  readonly prefill?: (values: FormValues, region: string | undefined, context: Context) => Promise<FormFacts>;
  /** `prefill` has something to say before a workload is chosen. */
  readonly prefillsAtOnce?: true;
  /** The person confirms a preview of the change before it is requested. */
  readonly hasPreview?: true;
  /** The Ask, checked by the schema that checks words. Pure. */
  readonly fill: (values: FormValues) => FilledForm;
};

/** The groups of help, in its order. */
export const helpGroups = ["Look", "Change", "Approve", "Watch", "Set up"] as const; // literal titles

/** What is known about a verb besides its arguments and its work. A verb can lack all of it. */
export type VerbForms = {
  /** Words of other tools that mean exactly the same, so they run at once. Help shows them. */
  readonly aliases?: readonly string[];
  /** Words that only come close in meaning, so they offer the verb as a button. */
  readonly near?: readonly string[];
  /** The first one that fits a sentence counts. */
  readonly phrases?: readonly Phrase[];
  /** Default: by its effect. */
  readonly helpGroup?: (typeof helpGroups)[number];
  /** Help begins with it. */
  readonly isMostUsed?: true;
  /** Its label on a workload's card and in the menus of Home, which offer only verbs with a label. */
  readonly button?: string;
  /** Its imperative, in the question that a sentence leads to and on buttons: "Set memory of *web* to 512 MiB?". Default: the verb's name. */
  readonly question?: { readonly label?: string; readonly amount?: (args: Ask["args"]) => string };
  /** The first values of its form for a workload such as `service/web`. Default: its name. */
  readonly valuesFor?: (workload: string) => FormValues;
};

type CommandBase = VerbForms & {
  readonly name: string;
  readonly summary: string;
  /** Without the command's name: `scale NAME N`. */
  readonly usage: string;
  /** Without the command's name: `scale web 4`. */
  readonly example: string;
  readonly options: readonly Option[];
  /** Everything the verb can do; empty for verbs that need no rule (help, whoami, approvals). */
  readonly actions: readonly Action[];
  /** Turns the words after the verb into an Ask. Pure. Throws a `UserError` with the usage line. */
  readonly parse: (words: readonly string[]) => Ask;
  /** The form for the same Ask; undefined for a verb without arguments. */
  readonly form?: Form;
  /**
   * Form values for words that lack only what the form can ask for; undefined for complete and for wrong words. Pure.
   */
  readonly unfinished?: (words: readonly string[]) => FormValues | undefined;
};

/** A verb that only reads. */
export type ReadCommand = CommandBase & {
  readonly effect: "read";
  /** Also answers guests. Other verbs without a rule answer only full members. */
  readonly forEverybody?: true;
  /** The question that policy has to allow before `answer` is called; undefined for verbs that need no rule. Pure. */
  readonly about: (ask: Ask, settings: Settings) => About | undefined;
  /** Throws `UserError` or `Problem`. */
  readonly answer: (ask: Ask, context: Context) => Promise<Message>;
  /**
   * The log that this Ask follows, and for how long; undefined for one that is answered. Its workload was allowed by policy.
   * Throws what `answer` throws.
   */
  readonly follow?: (ask: Ask, context: Context) => Promise<{ poll: LogPoll; forMs: number } | undefined>;
  /** The followed logs that this Ask ends: those of a workload, or all. `answer` says that there are none. */
  readonly unfollow?: (ask: Ask, context: Context) => Promise<{ readonly of: Target | undefined }>;
  /** Buttons below the message about an error that `answer` threw. Pure. */
  readonly onFailure?: (ask: Ask, error: unknown) => readonly Block[];
};

/**
 * `refusal`: why the workload API would refuse it, as it said when the workload was read. `ofOthers`: what it takes back
 * of other people besides, a line each of its diff.
 */
export type ProposedChange = Change & {
  readonly refusal?: string | undefined;
  readonly ofOthers?: readonly string[];
};

/** A verb that changes a workload. It proposes a Change and writes nothing. */
export type WriteCommand = CommandBase & {
  readonly effect: "write";
  /** `refused_operations` of a workload names such operations. */
  readonly sends: readonly Sent[];
  /** Its words may name several workloads: see `severalOf`. */
  readonly several?: true;
  /** The requested workload. Pure. Throws a `UserError` when it is about several. */
  readonly target: (ask: Ask) => Target;
  /**
   * Makes at most two reads and no write. Throws `UserError` or `Problem`. Only `proposeChange` calls it,
   * after asking policy.
   */
  readonly propose: (ask: Ask, context: Context) => Promise<ProposedChange>;
  /** What of a service it changes that only an extension of the workload API can. */
  readonly extension?: "image" | "environment";
  /** Once for a request for several, before `propose`: at most one read. Throws `UserError` or `Problem`. */
  readonly checkAsk?: (ask: Ask, context: Context) => Promise<void>;
  /** The arguments to store where the typed ones depend on the moment, as `+1` does. Pure. */
  readonly settledArgs?: (args: Ask["args"], change: Change) => Ask["args"];
  /**
   * The arguments, besides the name, with which this verb takes the change back; undefined when it can't. `undoAsk`
   * asks every verb, with the id of the request. Pure.
   */
  readonly undo?: (change: Change, requestId: string) => Ask["args"] | undefined;
};

/** A verb that decides about a waiting Change. The workflow checks who may, where the Change is stored. */
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

/** For whom an account is connected. */
export type Whose = "mine" | "channel" | "workspace";

/** A verb that links or unlinks an account. It opens a form, because a command line must never hold a token. */
export type LinkCommand = CommandBase & {
  readonly effect: "link";
  /** Pure. */
  readonly link: (ask: Ask) => { readonly kind: "connect" | "disconnect"; readonly whose: Whose };
};

/** A verb that binds the channel it is typed in. The workflow asks policy, where the binding is stored. */
export type BindCommand = CommandBase & {
  readonly effect: "bind";
  /** Pure. */
  readonly binding: (ask: Ask) => BindingWish;
};

/** Where a watch tells: where it was asked for, in a direct message, or in another channel. */
export type PlaceWish = "here" | "dm" | { readonly channelId: string };

/** What a person wants to be told, or no longer. `name` of the target can be a pattern, or `*` for all. */
export type WatchWish = { readonly target: Target; readonly place: PlaceWish } & (
  | ({
      readonly kind: "watch";
      readonly quiet: Omit<QuietHours, "zone"> | undefined;
      readonly digest: Omit<DigestTime, "zone"> | undefined;
    } & Pick<Watch, "events" | "afterMs">)
  /** `digest`: only the digest about them. */
  | { readonly kind: "unwatch"; readonly isDigest: boolean }
  | { readonly kind: "mute"; readonly until: Until }
);

/** A verb about what Gantry tells. The workflow asks policy, where it is stored. */
export type WatchCommand = CommandBase & {
  readonly effect: "watch";
  /** Pure. */
  readonly wish: (ask: Ask) => WatchWish;
};

/** Asks how Gantry itself does. The workflow answers it, because neither database nor account may be needed. */
export type StatusCommand = CommandBase & { readonly effect: "status" };

export type BindingWish =
  /** Shows the current binding. */
  { readonly kind: "show" } | { readonly kind: "bind"; readonly terms: BindingTerms } | { readonly kind: "clear" };

export type Command =
  | ReadCommand
  | WriteCommand
  | DecideCommand
  | LinkCommand
  | BindCommand
  | WatchCommand
  | StatusCommand;

/** The first values of its form for a workload such as `service/web`. */
export function valuesFor({ valuesFor: own }: Pick<Command, "valuesFor">, workload: string): FormValues {
  return own?.(workload) ?? { name: workload };
}

/** A read may run twice and needs no confirmation. */
export function isReadOnly({ effect }: Pick<Command, "effect">): boolean {
  return effect === "read" || effect === "status";
}

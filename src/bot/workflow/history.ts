import type { Logger } from "pino";
import { annotate } from "../../platform/trail.ts";
import type { StoredChange, Who } from "../changes/stored-change.ts";
import { lifecycle, type Step } from "./lifecycle.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Advanced } from "./stored.ts";
import type { WorkflowParts } from "./ports.ts";
import type { HistoryEventKind, NewHistoryEvent } from "../changes/history-event.ts";
import { StoreError } from "../errors.ts";
import type { Origin } from "./origin.ts";
import type { Refused } from "../commands/lookup/authorize.ts";
import { regionOf, type Regions } from "../commands/grammar/argument-types.ts";
import { typedTarget } from "../commands/verbs/watch/watch-message.ts";
import type { WatchTarget } from "../watch/watch.ts";
import type { Post } from "../views/kit/post.ts";
import { refusalMessage } from "../views/messages/error-messages.ts";

type Words = { readonly result: string; readonly who?: Who; readonly reference?: string };

/** One step of a Change with its row of history, which is logged if the step was made. */
export async function advance(deps: WorkflowParts, change: StoredChange, step: Step & Words): Promise<Advanced> {
  const { result, who, reference, ...bare } = step;
  const words = { result, ...(who && { who }), ...(reference !== undefined && { reference }) };
  const event = changeEvent(deps, change, { kind: lifecycle[step.name].event, ...words });
  const advanced = await deps.store.advance(change.id, bare, event);
  if (advanced.kind === "moved") logEvent(deps, event);
  return advanced;
}

type Happened = {
  readonly kind: HistoryEventKind;
  /** Undefined for what the bot did. */
  readonly who?: Who;
  readonly result: string;
  readonly reference?: string;
};

/** The Change that a row of history is about; without an id, a request that did not become one. */
export type EventSubject = Pick<
  StoredChange,
  "teamId" | "channelId" | "verb" | "workload" | "account" | "rule" | "breakGlass"
> & {
  readonly id: string | undefined;
  readonly createdAt?: Date;
};

export function changeEvent(
  { clock }: { readonly clock: Pick<Clock, "now"> },
  change: EventSubject,
  { kind, who, result, reference }: Happened,
): NewHistoryEvent {
  const { region, name } = change.workload;
  const { createdAt } = change;
  return {
    kind,
    teamId: change.teamId,
    changeId: change.id,
    who,
    channelId: change.channelId,
    verb: change.verb,
    workload: { kind: change.workload.kind, region, name },
    account: change.account.username,
    rule: change.rule,
    breakGlass: change.breakGlass,
    result,
    elapsedMs: createdAt === undefined ? undefined : Math.max(0, clock.now().getTime() - createdAt.getTime()),
    reference,
  };
}

type HappenedAt = Pick<NewHistoryEvent, "kind" | "verb" | "result"> &
  Partial<Pick<NewHistoryEvent, "workload" | "account" | "rule" | "reference" | "announcement">>;

/** A row about something that is no Change: who did it and where, or what they were refused. */
export function originEvent(
  { teamId, channelId }: Origin,
  { userId, name }: Who,
  happened: HappenedAt,
): NewHistoryEvent {
  const unknown = { workload: undefined, account: undefined, rule: undefined, reference: undefined };
  const noChange = { changeId: undefined, breakGlass: false, elapsedMs: undefined };
  return { ...unknown, ...happened, ...noChange, teamId, channelId, who: { userId, name } };
}

/**
 * Logs a committed row, for log shipping. Contains nothing that people typed: reasons, results and unknown names are only
 * in history.
 */
export function logEvent({ log }: { readonly log: Logger }, event: NewHistoryEvent): void {
  const { kind, teamId, changeId, who, channelId, verb, workload, account, rule, breakGlass, elapsedMs, reference } =
    event;
  const known = changeId === undefined ? undefined : workload;
  annotate({ changeId, reference, outcome: kind === "refused" || kind === "vote-refused" ? "refused" : undefined });
  const history = { kind, teamId, changeId, userId: who?.userId, channelId, verb, workload: known, account, rule };
  log.info({ history: { ...history, breakGlass, elapsedMs, reference } }, "history");
}

/** Adds a row that belongs to no step of a Change. */
export async function recordEvent({ store, log }: WorkflowParts, event: NewHistoryEvent): Promise<void> {
  await store.addEvent(event);
  logEvent({ log }, event);
}

type Attempt = Refused & {
  readonly verb: string;
  readonly origin: Origin;
  readonly who: Who;
  /** The user name of the account that would have been used, if known. */
  readonly account: string | undefined;
};

/** The row for a request that policy refused. */
function refusalEvent({ verb, origin, who, account, refusal, workload }: Attempt): NewHistoryEvent {
  const { kind, region, name } = workload ?? {};
  return originEvent(origin, who, {
    kind: "refused",
    verb,
    // A bare name doesn't tell the kind.
    workload: name === undefined ? undefined : { kind: kind ?? "workload", region: region ?? "", name },
    account,
    rule: refusal.rule,
    result: refusal.why,
  });
}

/** Records a refused request. A database failure is only logged, so the person still gets an answer. */
export async function recordRefusal(deps: WorkflowParts, attempt: Attempt): Promise<void> {
  try {
    await recordEvent(deps, refusalEvent(attempt));
  } catch (err) {
    if (!(err instanceof StoreError)) throw err;
    deps.log.warn({ err }, "couldn't write a refusal to history");
  }
}

/** The same, and what the person reads. */
export async function refusedPost(deps: WorkflowParts, attempt: Attempt): Promise<Post> {
  await recordRefusal(deps, attempt);
  return policyPost(deps, attempt);
}

/** What the person reads whom policy refuses a write, once history has it. Throws a `StoreError`. */
export async function refusedWrite(deps: WorkflowParts, attempt: Attempt): Promise<Post> {
  await recordEvent(deps, refusalEvent(attempt));
  return policyPost(deps, attempt);
}

function policyPost({ settings: { command } }: WorkflowParts, { refusal }: Attempt): Post {
  return refusalMessage({ kind: "policy", verdict: refusal, command });
}

type Target = Pick<WatchTarget, "kind" | "names"> & Partial<WatchTarget>;

/** What a row of history says of a watch. A pattern is no workload: it begins the words. */
export function eventAbout(
  target: Target,
  settings: Pick<Regions, "jobsRegion">,
  result: string,
): Pick<NewHistoryEvent, "workload" | "result"> {
  const { kind, names, region = "" } = target;
  if (names.includes("*")) {
    return { workload: undefined, result: [typedTarget(target), result].filter(Boolean).join(": ") };
  }
  return { workload: { kind: kind ?? "workload", region: regionOf(kind, region, settings), name: names }, result };
}

import type { HistoryEventKind, NewHistoryEvent } from "../changes/history-event.ts";
import type { StoredChange, Who } from "../changes/stored-change.ts";
import type { Origin } from "./origin.ts";
import type { Shell } from "./shell.ts";

type Happened = {
  readonly kind: HistoryEventKind;
  readonly who?: Who;
  readonly result: string;
  readonly reference?: string;
};

/** What a row of history tells of a Change, or of a request that did not become one and so has no id. */
export type EventSubject = Pick<
  StoredChange,
  "teamId" | "channelId" | "verb" | "workload" | "account" | "rule" | "breakGlass"
> & {
  readonly id: string | undefined;
  readonly createdAt?: Date;
};

/** A row of history about a Change. */
export function eventOf(
  { now }: Pick<Shell, "now">,
  change: EventSubject,
  { kind, who, result, reference }: Happened,
): NewHistoryEvent {
  const { region, name } = change.workload;
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
    elapsedMs: change.createdAt === undefined ? undefined : Math.max(0, now().getTime() - change.createdAt.getTime()),
    reference,
  };
}

type HappenedAt = Pick<NewHistoryEvent, "kind" | "verb" | "result"> &
  Partial<Pick<NewHistoryEvent, "workload" | "account" | "rule" | "reference">>;

/** A row of history about something that is no Change: who did it and where, or what they were refused. */
export function placeEvent({ teamId, channelId }: Origin, who: Who, happened: HappenedAt): NewHistoryEvent {
  const { kind, verb, result, workload, account, rule, reference } = happened;
  return {
    kind,
    teamId,
    changeId: undefined,
    who: { userId: who.userId, name: who.name },
    channelId,
    verb,
    workload,
    account,
    rule,
    breakGlass: false,
    result,
    elapsedMs: undefined,
    reference,
  };
}

/**
 * Logs a committed history row, for log shipping. Contains nothing that people typed: reasons, results and unknown
 * names are only in history.
 */
export function logEvent({ log }: Pick<Shell, "log">, event: NewHistoryEvent): void {
  const { kind, teamId, changeId, who, channelId, verb, workload, account, rule, breakGlass, elapsedMs, reference } =
    event;
  const known = changeId === undefined ? undefined : workload;
  const history = { kind, teamId, changeId, userId: who?.userId, channelId, verb, workload: known, account, rule };
  log.info({ history: { ...history, breakGlass, elapsedMs, reference } }, "history");
}

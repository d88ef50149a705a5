import type { EventKind, NewEvent } from "../changes/history-event.ts";
import type { StoredChange, Who } from "../changes/stored-change.ts";
import type { Shell } from "./shell.ts";

type Happened = {
  readonly kind: EventKind;
  readonly who?: Who;
  readonly result: string;
  readonly reference?: string;
};

/** A row of history about a Change. */
export function eventOf(
  { now }: Pick<Shell, "now">,
  change: Omit<StoredChange, "createdAt"> | StoredChange,
  { kind, who, result, reference }: Happened,
): NewEvent {
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
    elapsedMs: "createdAt" in change ? Math.max(0, now().getTime() - change.createdAt.getTime()) : undefined,
    reference,
  };
}

/** The same row for those who ship logs elsewhere; after it was committed. */
export function logEvent({ log }: Pick<Shell, "log">, event: NewEvent): void {
  log.info({ history: event }, "history");
}

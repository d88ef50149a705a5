import type { NewEvent } from "../changes/history-event.ts";
import type { Who } from "../changes/stored-change.ts";
import type { Refused } from "../commands/gate.ts";
import { StoreError } from "../errors.ts";
import { logEvent, placeEvent } from "./event.ts";
import type { Place } from "./place.ts";
import type { Shell } from "./shell.ts";

type Attempt = Refused & {
  readonly verb: string;
  readonly place: Place;
  readonly who: Who;
  /** The user name of the account it would have been done with, where one is known. */
  readonly account: string | undefined;
};

/** The row of history about something that policy refused. */
export function refusedEvent({ verb, place, who, account, refusal, workload }: Attempt): NewEvent {
  const { kind, region, name } = workload ?? {};
  return placeEvent(place, who, {
    kind: "refused",
    verb,
    // Of a bare name nobody knows what it is.
    workload: name === undefined ? undefined : { kind: kind ?? "workload", region: region ?? "", name },
    account,
    rule: refusal.rule,
    result: refusal.why,
  });
}

/** Writes it down; a database that is away does not keep the person from being told. */
export async function noteRefused(shell: Shell, attempt: Attempt): Promise<void> {
  const event = refusedEvent(attempt);
  try {
    await shell.store.addEvent(event);
    logEvent(shell, event);
  } catch (err) {
    if (!(err instanceof StoreError)) throw err;
    shell.log.warn({ err }, "a refusal could not be written into history");
  }
}

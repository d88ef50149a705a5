import type { NewHistoryEvent } from "../changes/history-event.ts";
import type { Who } from "../changes/stored-change.ts";
import type { Refused } from "../commands/lookup/authorize.ts";
import { StoreError } from "../errors.ts";
import { logEvent, placeEvent } from "./history.ts";
import type { Origin } from "./origin.ts";
import type { Shell } from "./shell.ts";

type Attempt = Refused & {
  readonly verb: string;
  readonly origin: Origin;
  readonly who: Who;
  /** The user name of the account that would have been used, if known. */
  readonly account: string | undefined;
};

/** The history row for a request that policy refused. */
export function refusalEvent({ verb, origin, who, account, refusal, workload }: Attempt): NewHistoryEvent {
  const { kind, region, name } = workload ?? {};
  return placeEvent(origin, who, {
    kind: "refused",
    verb,
    // A bare name doesn't tell the kind.
    workload: name === undefined ? undefined : { kind: kind ?? "workload", region: region ?? "", name },
    account,
    rule: refusal.rule,
    result: refusal.why,
  });
}

/** Adds it to history. A database failure is only logged, so the person still gets an answer. */
export async function recordRefusal(shell: Shell, attempt: Attempt): Promise<void> {
  const event = refusalEvent(attempt);
  try {
    await shell.store.addEvent(event);
    logEvent(shell, event);
  } catch (err) {
    if (!(err instanceof StoreError)) throw err;
    shell.log.warn({ err }, "couldn't write a refusal to history");
  }
}

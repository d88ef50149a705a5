import type { Logger } from "pino";
import type { Clock } from "../../../platform/clock.ts";
import type { OpenAccount } from "../../accounts/resolve.ts";
import { unawaited } from "../../../platform/waiting.ts";
import type { ListKey } from "../stored.ts";
import type { WorkflowParts } from "../ports.ts";

/** Waits for workload APIs that tell when a list changes, so that a round is made then and not ten seconds later. */
export type Push = {
  /** From now on, for some minutes: each round says it again. Never rejects. */
  readonly listen: (deps: WorkflowParts, list: ListKey, account: OpenAccount) => void;
  readonly stop: () => void;
};

type Parts = {
  readonly log: Logger;
  readonly clock: Pick<Clock, "elapsedMs" | "sleep">;
};

/** Listening ends after this time without a round: the list isn't watched any more, or another replica polls it. */
const LISTEN_FOR_MS = 2 * 60_000;
/** One change is often followed by others: an instance that ends, and the next one. */
const GATHER_MS = 1_000;
/** Open connections of this process. */
const MOST = 200;

export function createPush({ log, clock }: Parts): Push {
  const ending = new AbortController();
  /** By account and region, until when it is listened to. */
  const listening = new Map<string, { untilMs: number }>();
  return {
    listen(deps, list, account) {
      const key = JSON.stringify([list.teamId, list.account, list.region]);
      const untilMs = clock.elapsedMs() + LISTEN_FOR_MS;
      const known = listening.get(key);
      if (known !== undefined) known.untilMs = untilMs;
      if (known !== undefined || listening.size >= MOST || ending.signal.aborted) return;
      const lasting = { untilMs };
      listening.set(key, lasting);
      const work = listenTo(deps, { list, account, lasting, signal: ending.signal, clock });
      unawaited(
        work.finally(() => listening.delete(key)),
        (err) => log.warn({ err, region: list.region }, "couldn't listen to changes; rounds go on"),
      );
    },
    stop: () => ending.abort(),
  };
}

type Listening = Pick<Parts, "clock"> & {
  readonly list: ListKey;
  readonly account: OpenAccount;
  readonly lasting: { readonly untilMs: number };
  readonly signal: AbortSignal;
};

/** Listens until the connection ends; the next round opens another one. */
async function listenTo({ api, store }: WorkflowParts, listening: Listening): Promise<void> {
  const { list, account, lasting, signal, clock } = listening;
  const info = await api.engine();
  if (info?.pushesChanges !== true) return;
  let after: string | undefined;
  while (!signal.aborted && clock.elapsedMs() < lasting.untilMs) {
    const changes = await api.changes(account, { region: list.region, after, signal });
    if (changes === undefined || signal.aborted) return;
    after = changes.cursor;
    if (changes.changed.length === 0) continue;
    for (const kind of changes.changed) await store.hint({ ...list, kind });
    await clock.sleep(GATHER_MS, signal).catch(() => undefined);
  }
}

import { within } from "../../platform/waiting.ts";
import type { Logger } from "pino";
import type { Transport } from "../slack/receive/transport.ts";
import type { Store } from "../store/store.ts";
import type { Lanes } from "../workflow/inbox/lanes.ts";

/** Asking for other replicas and saving call counts is best effort: a stop doesn't wait longer for the database. */
const ASK_WITHIN_MS = 250;

type Stopping = {
  readonly lanes: Pick<Lanes, "drain">;
  readonly store: Pick<Store, "isAlone">;
  readonly transport: Pick<Transport, "handOver" | "stop">;
  /** Saves what is counted in memory. Never rejects. */
  readonly flush: () => Promise<void>;
  readonly log: Logger;
};

/**
 * Leaves new deliveries to the other replicas, if there are any: without them, people are told that Gantry restarts. Then
 * ends what is in progress.
 */
export async function stopBot({ lanes, store, transport, flush, log }: Stopping): Promise<void> {
  const isAlone = await inTime(store.isAlone().catch(() => true));
  if (isAlone === false) await transport.handOver();
  const { aborted, left } = await lanes.drain();
  if (aborted > 0) log.warn({ aborted, left }, "stopped while commands were running");
  await inTime(flush());
  await transport.stop();
}

function inTime<Result>(work: Promise<Result>): Promise<Result | undefined> {
  return within(ASK_WITHIN_MS, work, () => undefined);
}

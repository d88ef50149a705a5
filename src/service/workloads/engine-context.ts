import type { Kysely } from "kysely";
import type { Clock } from "../../platform/clock.ts";
import type { ChangedList } from "../change-feed.ts";
import type { BackOff } from "./lifecycle/back-off.ts";
import type { Ledger } from "./quota.ts";
import type { StartQueue } from "./lifecycle/queues.ts";
import type { LogWriter } from "./logs/log-writer.ts";
import type { Runtime } from "./runtime.ts";
import type { StateTables } from "./state/store.ts";

/** What services and jobs of an engine share. */
export type EngineContext = {
  readonly runtime: Runtime;
  readonly state: Kysely<StateTables>;
  readonly logs: LogWriter;
  readonly dataDir: string;
  readonly backOff: BackOff;
  readonly jobRetries: number;
  /** An instance without ports is ready after this long; after five times as long if its revision was never ready. */
  readonly readyAfterMs: number;
  readonly clock: Clock;
  readonly onEvent: (message: string, data: object) => void;
  /** Notes that the list of a kind shows something else now. */
  readonly changed: (list: ChangedList) => void;
  readonly starts: StartQueue;
  readonly ledger: Ledger;
  /** Aborted when the engine begins to close. */
  readonly closing: AbortSignal;
  /** Aborted when the engine closes and leaves its units running. */
  readonly leaving: AbortSignal;
  /** Work that goes on after its answer, such as the end of a deleted job; `close` waits for it. */
  readonly inBackground: (work: Promise<unknown>) => void;
};

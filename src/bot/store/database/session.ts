import type { Kysely } from "kysely";
import type { Logger } from "pino";
import type { Clock, Flavour } from "./clock.ts";
import type { Tables } from "../schema/tables.ts";
import type { TextSealer } from "./text-sealer.ts";

/** The database, or a transaction in it. */
export type Db = Kysely<Tables>;

/** The database, its clock, and this replica's identity, for every statement. */
export type Session = {
  readonly db: Db;
  readonly flavour: Flavour;
  readonly clock: Clock;
  readonly replicaId: string;
  /** How long a lease lasts after `beat`. */
  readonly leaseMs: number;
  /** How much of the lease must be left when something is claimed: the request leaves within this time. */
  readonly sendWithinMs: number;
  /** How long history is kept; for ever without it. */
  readonly keepHistoryMs: number | undefined;
  /** Monotonic milliseconds, for work done now and then. Never stored, never compared with a row. */
  readonly elapsedMs: () => number;
  /** This machine's wall clock. Unlike `elapsedMs`, it advances while the machine is suspended. */
  readonly wallMs: () => number;
  readonly textSealer: TextSealer;
  readonly log: Logger;
};

import type { RunState } from "./run-row.ts";

/** What Slack delivered and must not act twice; rows older than an hour are pruned. */
type DeliveryTable = { id: string; received_at: string };

/** One execution of a write, from its acceptance on. Times are ISO 8601 in UTC, so that they sort as text. */
type RunTable = {
  id: string;
  delivery_id: string;
  verb: string;
  user_id: string;
  channel_id: string;
  response_url: string;
  /** The workload, once it is known which one is meant. */
  region: string | null;
  kind: string | null;
  name: string | null;
  state: RunState;
  created_at: string;
  claimed_at: string | null;
  settled_at: string | null;
};

type MigrationTable = { number: number; title: string; applied_at: string };

export type Tables = { delivery: DeliveryTable; run: RunTable; migration: MigrationTable };

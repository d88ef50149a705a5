import type { LaneName } from "./inbox/scheduler.ts";

// Work that some replica must do at a time: its kinds, and its rows.

export type DueKind = {
  /** `due`, unless people wait for it. */
  readonly lane?: LaneName;
  /** Most leases of this kind that a replica has at once. */
  readonly atOnce: number;
  /** Longer than the work takes between two renewals. After a lost lease, another replica does the work again. */
  readonly leaseMs: number;
  /** Sweeps renew the lease while the work waits for its lane or runs. Work of other kinds renews its lease itself. */
  readonly isRenewed?: boolean;
};

export const dueKinds = {
  /** Sends a batch of history to a receiver; the key is its name. A retry sends the same batch. */
  audit: { atOnce: 4, leaseMs: 30_000 },
  /**
   * Carries a request on: expires it, runs it, reads it back, polls its workload. The key is its id. After a lost lease, a claimed
   * request is never sent again.
   */
  change: { atOnce: 96, leaseMs: 20_000, isRenewed: true },
  /** Processes an interaction until its answer, or until it is a request; the key is the delivery. A retry skips finished steps. */
  delivery: { lane: "people", atOnce: 16, leaseMs: 20_000, isRenewed: true },
  /** Schedules the message of a digest; the key is its watch. */
  digest: { atOnce: 16, leaseMs: 60_000 },
  /** Asks Slack whether an installation still exists; the key is its id. */
  doubt: { atOnce: 4, leaseMs: 60_000 },
  /** Reads new lines of a followed log; the key is the follow. A retry redraws its messages from the stored lines. */
  follow: { atOnce: 64, leaseMs: 30_000 },
  /** Puts the due notices of a place on messages; the key is the workspace and the place. */
  place: { atOnce: 16, leaseMs: 60_000 },
  /** Posts or updates a message, and its thread; the key is the message. Longer than a digest is read, and than one call to Slack takes. */
  post: { atOnce: 8, leaseMs: 30_000 },
  /** Removes old rows. The lease is longer than that takes. */
  prune: { atOnce: 1, leaseMs: 10 * 60_000 },
  /** Sends a requester the news that their card doesn't show; the key is the message. Separate, because Slack may refuse other messages. */
  requester: { atOnce: 8, leaseMs: 30_000 },
  /** Reads a list of workloads for its watches; the key is the list. Few at once, because people's requests go first. */
  round: { atOnce: 4, leaseMs: 60_000 },
  /** Checks the permissions of the owners of watches; the key is the workspace. */
  rights: { atOnce: 2, leaseMs: 60_000 },
  /** Renews the token of an installation; the key is its id. */
  token: { atOnce: 4, leaseMs: 60_000 },
  /** Schedules the message that a watch ended or goes on. */
  "watch news": { atOnce: 16, leaseMs: 60_000 },
} as const satisfies Readonly<Record<string, DueKind>>;

export type DueKindName = keyof typeof dueKinds;

/** A row of `due`, leased by this replica. */
export type Due = {
  readonly kind: DueKindName;
  /** Unique within its kind. */
  readonly key: string;
  /** Empty for work that belongs to no workspace. */
  readonly teamId: string;
  /** Lease token. */
  readonly token: string;
  readonly leaseMs: number;
  /** Attempts since the last success, this one included. */
  readonly attempts: number;
  readonly payload: string | undefined;
  readonly createdAt: Date;
  /** When the lease began, by the database's clock. */
  readonly takenAt: Date;
};

export type Scheduled = Pick<Due, "kind" | "key" | "teamId"> & {
  /** Sealed in the database. */
  readonly payload?: string | undefined;
  /** From now on, in milliseconds; 0 by default. */
  readonly inMs?: number | undefined;
};

export type Taking = Pick<Due, "kind" | "leaseMs"> & {
  readonly most: number;
  /** Only this one. */
  readonly key?: string | undefined;
};

export type NextTime = {
  readonly payload?: string | undefined;
  /** The attempt failed: the next one counts as a retry. */
  readonly isFailure?: boolean | undefined;
  /** What somebody waits for is done, and the rest is left. */
  readonly isDone?: boolean | undefined;
} & ({ readonly ms: number; readonly at?: undefined } | { readonly at: Date; readonly ms?: undefined });

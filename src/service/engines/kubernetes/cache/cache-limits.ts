/** Times in milliseconds. */
export type CacheLimits = {
  /** A read older than this is not served: the objects are listed first. */
  readonly staleAfterMs: number;
  /** The same while no watch is open; after an outage, each kind waits some seconds for the turn of its watch. */
  readonly staleWithoutWatchMs: number;
  /** For this long, the events of a resumed watch may be those that were missed. */
  readonly catchUpMs: number;
  /** A watch without event or bookmark is given up. API servers send a bookmark about once a minute. */
  readonly silentAfterMs: number;
  /** How long a watch lasts; each asks for a random time between this and the double. */
  readonly watchSeconds: number;
  /** A watch that ends sooner counts as failed, also without an error. */
  readonly healthyAfterMs: number;
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
  /** After a missing right, a missing kind or too many objects; a read asks earlier. */
  readonly deniedRetryMs: number;
  /** The shortest time between two reads that retry a denied request. */
  readonly deniedReadMs: number;
  /** How long a read waits for the API server; the bot waits 5 s for an answer. */
  readonly readMs: number;
  readonly pageSize: number;
  readonly maxObjects: number;
};

export const cacheLimits: CacheLimits = {
  staleAfterMs: 10_000,
  staleWithoutWatchMs: 5_000,
  catchUpMs: 1_000,
  silentAfterMs: 90_000,
  watchSeconds: 300,
  healthyAfterMs: 5_000,
  firstRetryMs: 1_000,
  longestRetryMs: 30_000,
  deniedRetryMs: 300_000,
  deniedReadMs: 5_000,
  readMs: 4_000,
  pageSize: 500,
  maxObjects: 50_000,
};

import type { Incident, Seen } from "./incident.ts";
import type { WatchedEvent } from "./watch.ts";

/** Something that happened to a workload and is no incident. */
export type NoticedEvent = {
  /** A username. */
  readonly account: string;
  readonly region: string;
  readonly kind: "service" | "job";
  readonly name: string;
  readonly event: WatchedEvent;
  /** "image app:1 → app:2". */
  readonly words: string;
  readonly level: Seen["level"];
  readonly at: Date;
  /** Not polled between then and `at`. */
  readonly unseenSince: Date | undefined;
};

/** Incidents and events that share a message. */
export type Alert = {
  readonly id: string;
  readonly teamId: string;
  readonly createdAt: Date;
  readonly incidents: readonly Incident[];
  readonly events: readonly (NoticedEvent & { readonly id: string })[];
  /** Who said that they are on it. */
  readonly taken: { readonly userId: string; readonly name: string; readonly at: Date } | undefined;
};

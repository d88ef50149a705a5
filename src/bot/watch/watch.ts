import { z } from "zod";
import type { AccountRef } from "../accounts/resolve.ts";

/** What a watch can tell of, as `--on` names it. */
export const watchedEvents = [
  "failing",
  "recovered",
  "job-failed",
  "job-done",
  "restarts",
  "out-of-memory",
  "deployed",
  "changed",
] as const; // literal words
export type WatchedEvent = (typeof watchedEvents)[number];
export const WatchedEvents = z.array(z.enum(watchedEvents)).readonly();

/** Events of a watch without `--on`. */
export const usualEvents: readonly WatchedEvent[] = ["failing", "recovered", "job-failed"];

/** How long something has to fail before a watch without `--after` reports it. */
export const USUAL_AFTER_MS = 2 * 60_000;

/** The workloads that a watch is about. */
export type WatchTarget = {
  /** Undefined: services and jobs. */
  readonly kind: "service" | "job" | undefined;
  /** A name, or a pattern such as `shop-*`; `*` for all. */
  readonly names: string;
  /** The region of services. Jobs run in the region of the settings. */
  readonly region: string;
};

/** Where a watch posts: a channel, or the direct message of its owner. */
export type WatchPlace = { readonly kind: "channel"; readonly channelId: string } | { readonly kind: "dm" };

/** Local times of a day, `22:00` to `07:00`, in an IANA time zone. Events in between are reported at the end. */
export const QuietHours = z.object({ from: z.string(), to: z.string(), zone: z.string() }).readonly();
export type QuietHours = z.output<typeof QuietHours>;

/** When one message sums up what is unwell, what changed and what waits. */
export const DigestTime = z
  .object({
    days: z.enum(["daily", "weekdays", "mondays"]),
    /** `09:00` */
    at: z.string(),
    zone: z.string(),
  })
  .readonly();
export type DigestTime = z.output<typeof DigestTime>;

/** A subscription to what happens to workloads. What it shows is never more than its owner may see when it fires. */
export type Watch = {
  readonly id: string;
  readonly teamId: string;
  readonly owner: { readonly userId: string; readonly name: string };
  /** `file`: from the file of watches, which alone can end it. */
  readonly source: "person" | "file";
  /** The account whose lists it reads. */
  readonly account: AccountRef;
  readonly target: WatchTarget;
  readonly place: WatchPlace;
  readonly events: readonly WatchedEvent[];
  readonly afterMs: number;
  readonly quiet: QuietHours | undefined;
  readonly digest: DigestTime | undefined;
  /** Why a watch of the file is paused: its owner has lost the permission. It goes on when they have it again. */
  readonly pausedWhy?: string | undefined;
  readonly createdAt: Date;
};

/** No reports of these workloads in this place until then. */
export type Mute = {
  readonly teamId: string;
  readonly place: WatchPlace & { readonly userId?: string };
  readonly names: string;
  readonly until: Date;
  readonly by: { readonly userId: string; readonly name: string };
};

/** When a list of workloads was last read for watches. */
export type LastPoll = {
  /** A username. */
  readonly account: string;
  readonly region: string;
  readonly kind: "service" | "job";
  readonly at: Date;
};

/** The message in a place about a watch that ended without its owner, or goes on. */
export type WatchNews = Pick<Watch, "target" | "owner" | "place" | "source"> & {
  /** Why it ended; undefined if it goes on. */
  readonly why: string | undefined;
  /** Its username; undefined in what an earlier version stored. */
  readonly account: string | undefined;
};

import type { DaemonAbout, DaemonApi } from "./daemon-client.ts";
import { whyUnusable } from "./daemon-answers.ts";
import type { Clock } from "../../../../platform/clock.ts";
import { unawaited, repeat } from "../../../../platform/waiting.ts";
import { statfs } from "node:fs/promises";

/** A daemon that doesn't answer. */
export type Outage = { readonly since: Date; readonly why: string };

export type DaemonHealth = ReturnType<typeof watchHealth>;

type HealthOptions = {
  readonly daemon: Pick<DaemonApi, "ping" | "about">;
  /** What it said at the start. */
  readonly about: DaemonAbout;
  readonly clock: Clock;
  readonly onEvent: (message: string, data: object) => void;
  /** Called when it answers again. The outage lasts until this resolves, so that no state from before it is shown. */
  readonly catchUp?: () => Promise<void>;
};

const EVERY_MS = 1_000;
/** An answer stands for so much of the time before it: it may have come late. */
const LONGEST_MS = 2 * EVERY_MS;

/** Asks a daemon from time to time whether it answers. */
export function watchHealth(options: HealthOptions) {
  const { daemon, clock, onEvent, catchUp } = options;
  const closing = new AbortController();
  let { about } = options;
  let outage: Outage | undefined;
  let answered = { ms: 0, at: clock.elapsedMs() };

  async function look(): Promise<void> {
    try {
      await daemon.ping();
      if (outage === undefined) {
        const at = clock.elapsedMs();
        answered = { ms: answered.ms + Math.min(at - answered.at, LONGEST_MS), at };
        return;
      }
      about = await daemon.about();
      await catchUp?.();
      onEvent("the daemon answers again", { away: outage.since.toISOString() });
      outage = undefined;
      answered = { ...answered, at: clock.elapsedMs() };
    } catch (error) {
      if (outage === undefined && !closing.signal.aborted) onEvent("the daemon doesn't answer", { error });
      outage = { since: outage?.since ?? clock.now(), why: whyUnusable(error) };
    }
  }

  unawaited(repeat(look, EVERY_MS, closing.signal, clock), (error) => onEvent("background work failed", { error }));
  return {
    /** Undefined while it answers. */
    outage: () => outage,
    /** How long it has answered so far, in milliseconds, up to its last answer. */
    answeredMs: () => answered.ms,
    /** As it was at the start, or after the last outage: it may have been upgraded. */
    about: () => about,
    close: () => closing.abort(),
  };
}

export type DiskWatch = ReturnType<typeof watchDisk>;

type DiskWatchOptions = {
  readonly clock: Pick<Clock, "sleep">;
  /** The bytes that the daemon can still write; undefined where nobody can say, as on another machine. */
  readonly freeBytes: () => Promise<number | undefined>;
  readonly onEvent: (message: string, data: object) => void;
};

/** A file that grows doesn't get the last blocks of most file systems. */
const FULL_BYTES = 64 * 1024;

const FULL = "the disk of the machine is full: lines from here on can be missing";
const FREE = "the disk of the machine has space again: lines before this one can be missing";

/**
 * Notices that the daemon's disk is full. The daemon drops the lines that it can't write, and tells nobody: a reader of the
 * log only never sees them.
 */
export function watchDisk({ clock, freeBytes, onEvent }: DiskWatchOptions) {
  const followers = new Set<(text: string) => void>();
  const closing = new AbortController();
  let isFull = false;

  async function look(): Promise<void> {
    const free = await freeBytes().catch(() => undefined); // its folder isn't there for us
    if (free === undefined || free < FULL_BYTES === isFull) return;
    isFull = !isFull;
    onEvent(isFull ? "the daemon's disk is full" : "the daemon's disk has space again", { free });
    for (const note of followers) note(isFull ? FULL : FREE);
  }

  unawaited(repeat(look, EVERY_MS, closing.signal, clock), (error) => onEvent("background work failed", { error }));
  return {
    /** Calls `note` when lines begin to be lost and when they no longer are, until the returned function is called. */
    follow(note: (text: string) => void) {
      followers.add(note);
      if (isFull) note(FULL);
      return () => followers.delete(note);
    },
    close: () => closing.abort(),
  };
}

/** What the daemon can write to the disk of this folder: root may also use what a file system reserves. */
export async function freeBytesFor(folder: string, isRootless: boolean): Promise<number> {
  const { bavail, bfree, bsize } = await statfs(folder);
  return (isRootless ? bavail : bfree) * bsize;
}

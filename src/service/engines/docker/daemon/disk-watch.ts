import { statfs } from "node:fs/promises";
import type { Clock } from "../../../../platform/clock.ts";
import { unawaited, repeat } from "../../../../platform/waiting.ts";

/**
 * Notices that the daemon's disk is full. The daemon drops the lines that it can't write, and tells nobody: a reader of the
 * log only never sees them.
 */
export type DiskWatch = {
  /** Calls `note` when lines begin to be lost and when they no longer are, until the returned function is called. */
  readonly follow: (note: (text: string) => void) => () => void;
  readonly close: () => void;
};

type DiskWatchOptions = {
  readonly clock: Pick<Clock, "sleep">;
  /** The bytes that the daemon can still write; undefined where nobody can say, as on another machine. */
  readonly freeBytes: () => Promise<number | undefined>;
  readonly onEvent: (message: string, data: object) => void;
};

const EVERY_MS = 1_000;
/** A file that grows doesn't get the last blocks of most file systems. */
const FULL_BYTES = 64 * 1024;

const FULL = "the disk of the machine is full: lines from here on can be missing";
const FREE = "the disk of the machine has space again: lines before this one can be missing";

export function watchDisk({ clock, freeBytes, onEvent }: DiskWatchOptions): DiskWatch {
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
    follow(note) {
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

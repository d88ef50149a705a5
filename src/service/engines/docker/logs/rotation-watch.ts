import type { Clock } from "../../../../platform/clock.ts";
import type { LogReader } from "../../../workloads/runtime.ts";
import type { DaemonApi } from "../daemon/daemon-client.ts";
import { makeTimeReader, type Entry, splitFrames, splitTerminal } from "./log-entries.ts";
import { momentOf } from "./position.ts";

export type RotationWatch = {
  /** The first entry of all. */
  readonly begins: (entry: Entry) => void;
  /** Counts what was read, and looks once it is much. */
  readonly received: (bytes: number) => Promise<void> | undefined;
  /** A gap was noted already: what is missing there isn't noted again. */
  readonly noted: () => void;
  /** Looks for a rotation since the last look, and notes one. Never rejects: the next look finds it too. */
  readonly look: () => Promise<void>;
};

type WatchedLog = Pick<LogReader, "write" | "signal"> & {
  readonly clock: Pick<Clock, "now">;
  readonly container: string;
  readonly hasTerminal: boolean;
};

/** A part of the size at which a log file is rotated, so that most rotations are noted at once. */
const LOOK_BYTES = 4 * 1024 * 1024;

/**
 * Podman begins an empty log file when one is full, and a follow loses what it hasn't read of the full one without a
 * word. So the oldest entry is looked at from time to time: another one means that lines before it can be missing.
 */
export function watchRotation(daemon: Pick<DaemonApi, "readLogs">, log: WatchedLog): RotationWatch {
  let oldest: Entry | undefined;
  let received = 0;
  let isNoted = false;

  async function look(): Promise<void> {
    received = 0;
    const before = oldest;
    oldest = (await readOldest(daemon, log).catch(() => undefined)) ?? before;
    if (!oldest || !before || oldest.bytes.equals(before.bytes)) return;
    if (!isNoted) {
      const second = momentOf(makeTimeReader()(oldest).time).toISOString().slice(0, 19);
      const text = `lines just before ${second}Z can be missing: the container's log was rotated then`;
      await log.write({ at: log.clock.now(), text: `[gantry] ${text}` });
    }
    isNoted = false;
  }

  return {
    begins: (entry) => (oldest = copyOf(entry)),
    received(bytes) {
      received += bytes;
      return oldest === undefined || received >= LOOK_BYTES ? look() : undefined;
    },
    noted: () => (isNoted = true),
    look,
  };
}

/** Undefined while the log is empty. */
async function readOldest(daemon: Pick<DaemonApi, "readLogs">, log: WatchedLog): Promise<Entry | undefined> {
  const chunks = await daemon.readLogs(log.container, { since: 0, follow: false, signal: log.signal });
  const entries = log.hasTerminal ? splitTerminal() : splitFrames();
  try {
    for await (const chunk of chunks) {
      const bytes = chunk as Buffer; // a stream without an encoding
      for (const entry of entries.push(bytes)) return copyOf(entry);
    }
    return undefined;
  } finally {
    chunks.destroy();
  }
}

/** The entry's memory is a part of a large chunk. */
function copyOf({ bytes, ...entry }: Entry): Entry {
  return { ...entry, bytes: Buffer.from(bytes) };
}

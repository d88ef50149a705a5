import { setTimeout as pause } from "node:timers/promises";
import type { Readable } from "node:stream";
import { splitLines } from "./log-lines.ts";
import type { LogWriter } from "./log-writer.ts";

/** The output of one process on its way to the log. */
export type Output = {
  /** Resolves when all of it is in the log, or no more comes although something holds the pipe open. For after its exit. */
  readonly ended: () => Promise<void>;
};

/** A process that is gone may have left its pipe to a descendant. Nothing more comes after a silence of so long. */
const SILENCE_MS = 500;
/** Such a descendant may also go on writing. */
const LONGEST_MS = 2_000;

/** Puts what a process says into its log. While the log has no room nothing is read, and the pipe stops the process. */
export function recordOutput(
  streams: readonly (Readable | null)[],
  { workload, instance }: { readonly workload: string; readonly instance: string },
  logs: Pick<LogWriter, "append" | "room">,
): Output {
  let lastAt = performance.now();

  async function append(lines: Iterable<string>): Promise<void> {
    for (const line of lines) {
      await logs.room();
      logs.append(workload, instance, line);
      lastAt = performance.now();
    }
  }

  async function record(stream: Readable): Promise<void> {
    // Also for what comes when nobody reads any more.
    stream.on("error", () => undefined);
    const splitter = splitLines();
    try {
      for await (const chunk of stream) await append(splitter.push(chunk as Buffer)); // a stream without an encoding
    } catch {
      // The pipe was destroyed with output in it: what came until then is in the log.
    }
    await append(splitter.end());
  }

  const open = streams.filter((stream) => stream !== null);
  const read = Promise.all(open.map(record)).then(() => "all" as const);
  return {
    async ended() {
      const deadline = performance.now() + LONGEST_MS;
      lastAt = performance.now();
      while (performance.now() < Math.min(deadline, lastAt + SILENCE_MS)) {
        const came = await Promise.race([read, pause(SILENCE_MS / 10, undefined, { ref: false })]);
        if (came === "all") return;
      }
    },
  };
}

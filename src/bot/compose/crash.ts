import { randomBytes } from "node:crypto";
import type { Logger } from "pino";

export type CrashParts = {
  readonly log: Logger;
  /** Unfinished deliveries, changes or requests, by id. */
  readonly inProgress: () => readonly string[];
  /** Shuts down within a time limit and exits with this code. */
  readonly end: (code: number) => void;
};

const MOST_NAMED = 50;

/**
 * After an uncaught error the state of the process is unknown. Logs the error with a reference and the unfinished work,
 * which another process takes over, then shuts down. Errors during shutdown are logged as well.
 */
export function endOnCrash({ log, inProgress, end }: CrashParts): void {
  let isEnding = false;
  const crash = (err: unknown, origin: string): void => {
    const reference = randomBytes(4).toString("hex");
    const all = isEnding ? [] : inProgress();
    log.fatal(
      { err, origin, reference, inProgress: all.slice(0, MOST_NAMED), inProgressCount: all.length },
      isEnding ? "another uncaught error during shutdown" : "uncaught error: shutting down",
    );
    if (!isEnding) end(1);
    isEnding = true;
  };
  process.on("uncaughtException", (error, origin) => crash(error, origin));
  process.on("unhandledRejection", (reason) => crash(reason, "unhandledRejection"));
}

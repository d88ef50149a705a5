import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import { unawaited } from "../../platform/waiting.ts";

/** Below the patience of terminals, Docker and Kubernetes, which then kill the process. */
const STOP_WITHIN_MS = 25_000;

/** Under npm, one Ctrl-C arrives twice: from the terminal, and forwarded by npm. */
const SAME_CTRL_C_MS = 500;

/**
 * Stops and exits at the first SIGINT or SIGTERM; a second one exits immediately. The returned function does the same
 * with an exit code, for crashes.
 */
export function stopOnSignals(
  clock: Pick<Clock, "after" | "elapsedMs">,
  stop: () => Promise<void>,
): (code: number) => void {
  let stoppingSince: number | undefined;
  let worst = 0;
  const end = (code: number): void => {
    worst = Math.max(worst, code);
    // A stop that waits for nothing which keeps the process alive would end it with 0, also after a crash.
    process.exitCode = worst;
    if (stoppingSince !== undefined) {
      // A crash during shutdown only changes the exit code. Only a second signal exits immediately.
      if (code === 0 && clock.elapsedMs() - stoppingSince > SAME_CTRL_C_MS) process.exit(worst === 0 ? 130 : worst);
      return;
    }
    stoppingSince = clock.elapsedMs();
    clock.after(STOP_WITHIN_MS, () => {
      process.stderr.write(`Gantry didn't stop in ${STOP_WITHIN_MS / 1_000} s, so it ends now.\n`);
      process.exit(1);
    });
    const stopped = stop().then(
      () => process.exit(worst),
      (error: unknown) => {
        process.stderr.write(`Gantry didn't stop cleanly: ${String(error)}\n`);
        process.exit(1);
      },
    );
    unawaited(stopped);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => end(0));
  return end;
}

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

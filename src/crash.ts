import { randomBytes } from "node:crypto";
import type { Logger } from "pino";

export type CrashParts = {
  readonly log: Logger;
  /** Deliveries, changes or requests that are not at their end, by id. */
  readonly underWay: () => readonly string[];
  /** Ends the process in order, within a bound, with this code. */
  readonly end: (code: number) => void;
};

const MOST_NAMED = 50;

/**
 * An error that nobody caught leaves the process in a state that nobody knows: it is logged with a reference and with
 * what is under way, which another process carries on, and the process ends. What fails while it ends is logged, too.
 */
export function endOnCrash({ log, underWay, end }: CrashParts): void {
  let isEnding = false;
  const crash = (err: unknown, origin: string): void => {
    const reference = randomBytes(4).toString("hex");
    const all = isEnding ? [] : underWay();
    log.fatal(
      { err, origin, reference, underWay: all.slice(0, MOST_NAMED), underWayCount: all.length },
      isEnding
        ? "another error that nobody caught, while the process ends"
        : "an error that nobody caught: the process ends",
    );
    if (!isEnding) end(1);
    isEnding = true;
  };
  process.on("uncaughtException", (error, origin) => crash(error, origin));
  process.on("unhandledRejection", (reason) => crash(reason, "unhandledRejection"));
}

import { LogLevel } from "@slack/bolt";
import type { Logger } from "pino";

type BoltLogger = {
  debug: (...parts: unknown[]) => void;
  info: (...parts: unknown[]) => void;
  warn: (...parts: unknown[]) => void;
  error: (...parts: unknown[]) => void;
  setLevel: (level: LogLevel) => void;
  getLevel: () => LogLevel;
  setName: (name: string) => void;
};

/**
 * Passes the log lines of Bolt and the Web API client to our log. Their texts aren't static and may hold part of a
 * payload, so they go into the object. Their debug lines hold whole requests and are dropped.
 */
export function boltLogger(log: Logger): BoltLogger {
  let level: LogLevel = LogLevel.INFO;
  const dataOf = (parts: readonly unknown[]): object => {
    const err = parts.find((part) => part instanceof Error);
    const text = parts.filter((part) => typeof part === "string").join(" ");
    return { ...(err !== undefined && { err }), ...(text !== "" && { text }) };
  };
  return {
    debug: () => undefined,
    info: (...parts) => log.debug(dataOf(parts), "the Slack library said something"),
    warn: (...parts) => log.warn(dataOf(parts), "the Slack library warned"),
    error: (...parts) => log.error(dataOf(parts), "the Slack library reported an error"),
    setLevel: (wanted) => {
      level = wanted;
    },
    getLevel: () => level,
    setName: () => undefined,
  };
}

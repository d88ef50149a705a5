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
 * What Bolt and the Web API client say, in our log. Their texts are not static and may hold a piece of a payload, so
 * they go into the object, and what they call debug (whole requests) goes nowhere.
 */
export function boltLogger(log: Logger): BoltLogger {
  let level: LogLevel = LogLevel.INFO;
  const said = (parts: readonly unknown[]): object => {
    const err = parts.find((part) => part instanceof Error);
    const text = parts.filter((part) => typeof part === "string").join(" ");
    return { ...(err !== undefined && { err }), ...(text !== "" && { said: text }) };
  };
  return {
    debug: () => undefined,
    info: (...parts) => log.debug(said(parts), "the Slack library said something"),
    warn: (...parts) => log.warn(said(parts), "the Slack library warned"),
    error: (...parts) => log.error(said(parts), "the Slack library reported an error"),
    setLevel: (wanted) => {
      level = wanted;
    },
    getLevel: () => level,
    setName: () => undefined,
  };
}

import type { Line } from "../../../views/kit/blocks.ts";
import { failureRate } from "../../../views/logs/log-findings.ts";
import type { LogLook } from "../../lookup/log-look.ts";

/** "⚠️ 6 error lines per minute in its log": the status is about running, and a workload that runs can still fail at its work. */
export function logLines(log: LogLook): Line[] {
  if (log === undefined) return [];
  if (log === "unread") return ["Couldn't read its log."];
  const rate = failureRate(log);
  return rate === undefined ? [] : [`⚠️ Its log: ${rate}`];
}

import type { Service } from "../../../../api/answers.ts";
import { lead, type WorkloadStatus } from "../../../../api/workload-status.ts";
import type { Failure, LogFindings } from "../../../logs/failures.ts";
import { counted, grouped, truncate } from "../../../views/kit/text.ts";
import { age, span } from "../../../views/kit/time.ts";
import { failureRate, readWords } from "../../../views/logs/log-findings.ts";
import type { Found } from "../../lookup/find.ts";
import type { LogLook } from "../../lookup/log-look.ts";
import { statusOf } from "../show/show.ts";
import { eventCause, probeCause } from "./event-blocks.ts";

const MESSAGE = 120;

/**
 * What status and log come to, to be read after the name: "crashes every 20 s: lost the connection to the database, 18
 * times". Never better than the status, and about no more of the log than was read. Pure.
 */
export function verdictOn(found: Found, log: LogLook, now: Date): string {
  const status = statusOf(found);
  const findings = log === "unread" ? undefined : log;
  if (status.level === "idle") return `is ${status.words}`;
  if (status.level === "healthy") return healthyVerdict(findings, now);
  const service = found.kind === "service" ? found.service : undefined;
  const told = status.reason === undefined ? undefined : lead(status.reason);
  const seen = findings === undefined ? undefined : causeIn(findings, service);
  const probe = probeCause(found);
  if (status.isRestarting === true && service !== undefined)
    return because(crashes(service, now), probe ?? seen ?? told);
  return because(stateWords(status), told ?? eventCause(found) ?? seen);
}

function because(what: string, cause: string | undefined): string {
  return cause === undefined ? what : `${what}: ${cause}`;
}

/** Runs, which is not to say that it does its work. */
function healthyVerdict(log: LogFindings | undefined, now: Date): string {
  if (log === undefined) return "runs";
  if (log.read === 0) return "runs, and has logged nothing today";
  const [worst, ...others] = log.failures;
  if (worst === undefined) return `runs, with no error in ${readWords(log)}`;
  const rate = failureRate(log);
  const most = others.length === 0 ? "" : ", most often";
  if (rate !== undefined) return `runs, but logs ${rate}${most}: ${truncate(worst.message, MESSAGE)}`;
  const latest = log.failures.reduce((one, other) => (timeOf(other) > timeOf(one) ? other : one));
  const ago = age(new Date(timeOf(latest)).toISOString(), now);
  return `runs; its last error was ${ago} ago: ${truncate(latest.message, MESSAGE)}`;
}

function timeOf({ latest: { atMs = 0 } }: Failure): number {
  return atMs;
}

/** Two intervals without a crash, and it may be over. */
const QUIET = 3;

/** "crashes every 20 s", "crashed 6 times, last 2 h ago". */
function crashes({ restarts, restart_count: ever, last_state }: Service, now: Date): string {
  const count = restarts?.count ?? ever ?? 0;
  const [first, last] = [Date.parse(restarts?.first_at ?? ""), Date.parse(restarts?.last_at ?? "")];
  const every = (last - first) / (count - 1);
  if (every > 0 && now.getTime() - last <= QUIET * every) return `crashes every ${span(every)}`;
  const ago = age(restarts?.last_at ?? last_state?.finished_at, now);
  return `crashed ${counted(count, "time")}${ago === undefined ? "" : `, last ${ago} ago`}`;
}

const UNKNOWN = /unknown$/u;

/** "failed", "is starting", "is running, 1 of 3 ready". */
function stateWords({ level, words }: WorkloadStatus): string {
  if (UNKNOWN.test(words)) return "has an unknown status";
  return level === "failing" && words.startsWith("failed") ? words : `is ${words}`;
}

/** The error that its log reports most, unless that is from before it began to crash. */
function causeIn(log: LogFindings, service: Service | undefined): string | undefined {
  const since = Date.parse(service?.restarts?.first_at ?? "");
  const cause = log.failures.find(({ latest: { atMs } }) => !(atMs !== undefined && atMs < since - 60_000));
  return cause === undefined ? undefined : times(cause, log);
}

/** "lost the connection to the database, 18 times"; of a part of a log, in how much of it. */
function times({ message, count }: Failure, { mayHaveOlder, read }: LogFindings): string {
  const part = mayHaveOlder ? ` in the last ${grouped(read)} log lines` : "";
  return `${truncate(message, MESSAGE)}${count === 1 ? "" : `, ${counted(count, "time")}${part}`}`;
}

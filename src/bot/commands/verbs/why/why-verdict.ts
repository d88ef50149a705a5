import { lead, statusSentence } from "../../../../api/workload-status.ts";
import type { Service } from "../../../../api/answers.ts";
import type { Failure, LogFindings } from "../../../logs/failures.ts";
import { failureRate, readWords } from "../../../views/kit/log-text.ts";
import { truncate } from "../../../views/kit/text.ts";
import { span } from "../../../views/kit/time.ts";
import { type Found, statusOf } from "../../lookup/find.ts";
import type { LogCheck } from "../show/verdict.ts";
import { eventCause, probeCause } from "./events.ts";

const CAUSE_MESSAGE = 120;

/**
 * What status and log come to, to be read after the name: "keeps crashing, every 20 s: lost the connection to the
 * database". Never better than the status, and about no more of the log than was read. Pure.
 */
export function verdictOn(found: Found, log: LogCheck, now: Date): string {
  const status = statusOf(found);
  const findings = log === "unread" ? undefined : log;
  if (status.level === "idle") return statusSentence(status);
  if (status.level === "healthy") return healthyVerdict(findings);
  const service = found.kind === "service" ? found.service : undefined;
  const reason = status.reason === undefined ? undefined : lead(status.reason);
  const seen = findings === undefined ? undefined : causeIn(findings, service);
  const probe = probeCause(found);
  const what = statusSentence(status);
  if (status.facts !== undefined && service !== undefined)
    return because(`${what}${howOften(service, now)}`, probe ?? seen ?? reason);
  return because(what, reason ?? eventCause(found) ?? seen);
}

function because(what: string, cause: string | undefined): string {
  return cause === undefined ? what : `${what}: ${cause}`;
}

/** Only says that it runs: it may still fail at its work. */
function healthyVerdict(log: LogFindings | undefined): string {
  if (log === undefined) return "runs";
  if (log.read === 0) return `runs, and ${nothingLogged(log)}`;
  const [worst, ...others] = log.failures;
  if (worst === undefined) return `runs, with no error in ${readWords(log)}`;
  const rate = failureRate(log);
  const most = others.length === 0 ? "" : ", most often";
  if (rate !== undefined) return `runs, but logs ${rate}${most}: ${truncate(worst.message, CAUSE_MESSAGE)}`;
  const latest = log.failures.reduce((one, other) => (timeOf(other) > timeOf(one) ? other : one));
  return `runs; its last error: ${truncate(latest.message, CAUSE_MESSAGE)}`;
}

function nothingLogged({ gone }: LogFindings): string {
  return gone === undefined ? "has logged nothing today" : "its current instances have logged nothing yet";
}

function timeOf({ latest: { atMs = 0 } }: Failure): number {
  return atMs;
}

/** Two intervals without a crash, and it may be over. */
const QUIET = 3;

/** ", every 20 s", while it goes on. */
function howOften({ restarts, restart_count: ever }: Service, now: Date): string {
  const count = restarts?.count ?? ever ?? 0;
  const [first, last] = [Date.parse(restarts?.first_at ?? ""), Date.parse(restarts?.last_at ?? "")];
  const every = (last - first) / (count - 1);
  return every > 0 && now.getTime() - last <= QUIET * every ? `, every ${span(every)}` : "";
}

/** The error that its log reports most, unless that is from before it began to crash. */
function causeIn(log: LogFindings, service: Service | undefined): string | undefined {
  const since = Date.parse(service?.restarts?.first_at ?? "");
  const cause = log.failures.find(({ latest: { atMs } }) => !(atMs !== undefined && atMs < since - 60_000));
  return cause && truncate(cause.message, CAUSE_MESSAGE);
}

import { brief, lead, type WorkloadStatus } from "../../../../api/workload-status.ts";
import type { LogFindings } from "../../../logs/failures.ts";
import { section, type Block } from "../../../views/kit/blocks.ts";
import { afterName, dotOf, lastAgo, sinceWords, statusWords } from "../../../views/kit/health.ts";
import { strong, words } from "../../../views/kit/inline.ts";
import { capital, truncateMiddle, visible } from "../../../views/kit/text.ts";
import { age } from "../../../views/kit/time.ts";

/** Failures in the newest lines of a workload's log; undefined for somebody who may not read it. */
export type LogCheck = LogFindings | "unread" | undefined;

/** Characters of the first line of a card: its mark, the name, how it is and why. */
export const MOST = 80;
/** Of a name. A longer one is in the small print. */
const NAME = 36;

export type Head = {
  readonly name: string;
  readonly status: WorkloadStatus;
  readonly now: Date;
  /** What the status comes to, after the name: "keeps crashing, every 20 s: lost the database". */
  readonly verdict?: string | undefined;
  readonly log?: LogCheck;
  /** How an instance ended last, and when. */
  readonly lastEnd?: string | undefined;
};

/** "🔴 web · failing: ImagePullBackOff", "🔴 web keeps crashing, every 20 s: lost the database". Pure. */
function verdictLine({ name, status, now, verdict }: Head): readonly [mark: string, name: string, rest: string] {
  const shown = nameInVerdict(name);
  const rest = visible(verdict === undefined ? ` · ${stateAndCause(status, now)}` : afterName("", verdict));
  const mark = `${dotOf(status)} `;
  return [mark, shown, brief(rest, MOST - mark.length - shown.length)];
}

function nameInVerdict(name: string): string {
  return truncateMiddle(visible(name), NAME);
}

/** The name, where the verdict has no room for the whole of it. */
export function wholeName(name: string): string | undefined {
  return nameInVerdict(name) === visible(name) ? undefined : name;
}

function stateAndCause(status: WorkloadStatus, now: Date): string {
  const cause = status.facts === undefined && status.reason !== undefined ? `: ${lead(status.reason)}` : "";
  return `${statusWords(status, now)}${cause}`;
}

/** Whether the first line says all of a text after the name, between colons, commas and dots. It then needs no line of its own. */
export function isInVerdict(text: string, head: Head): boolean {
  const [, , rest] = verdictLine(head);
  const pieces = rest.split(visible(text));
  return pieces
    .slice(1)
    .some((after, at) => /(?:^|[:,;·]) $/u.test(pieces[at] ?? "") && /^(?:$| ·|[:,;] )/u.test(after));
}

/** "for 2h · last error 14s ago", as far as it is known. The facts of a crash say since when. */
function whenLine(head: Head): string | undefined {
  const { status, now, log } = head;
  const { facts } = status;
  const latest = log === undefined || log === "unread" ? undefined : lastErrorMs(log);
  const error = latest === undefined ? undefined : age(new Date(latest).toISOString(), now);
  const since = facts === undefined ? sinceWords(status, now) : `${facts}${lastAgo(status, now)}`;
  const isSaid = since === undefined || isInVerdict(since, head);
  const parts = [...(isSaid ? [] : [since]), ...(error === undefined ? [] : [`last error ${error} ago`])];
  return parts.length === 0 ? undefined : parts.join(" · ");
}

function lastErrorMs({ failures }: LogFindings): number | undefined {
  const times = failures.flatMap(({ latest: { atMs } }) => atMs ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** The first lines of a card: the verdict, since when, with more facts, and the last error and end of an instance. */
export function headLines(head: Head, more: readonly string[] = []): Block {
  const [mark, name, rest] = verdictLine(head);
  const { facts, words: state } = head.status;
  const when = whenLine(head);
  // "Failed 9h ago": alone, an age doesn't say of what.
  const isAge = facts === undefined && when !== undefined && /^\d/u.test(when);
  const alone = isAge ? `${state} ${when}` : when;
  const second = [alone && capital(alone), ...more].filter((part) => part !== undefined).join(" · ");
  const lines = [second, head.lastEnd ?? ""].filter((line) => line !== "");
  return section([words(mark), strong(name), words(rest)], ...lines.map((line) => [words(line, 600)]));
}

/** The same for a notification, in one line. */
export function headText(head: Head): string {
  return [verdictLine(head).join(""), whenLine(head)].filter((part) => part !== undefined).join(" · ");
}

import { brief } from "../../../api/workload-status.ts";
import type { HistoryEvent } from "../../changes/history-event.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import type { Incident } from "../../watch/incident.ts";
import type { Line } from "../kit/blocks.ts";
import { retreatOf } from "../kit/health.ts";
import { short } from "../kit/history-line.ts";
import { moment, words } from "../kit/inline.ts";
import { lower } from "../kit/text.ts";
import { verbWords, wordsOf } from "../kit/verb-words.ts";
import { split, versionName } from "./phrases.ts";
import type { IncidentCard } from "./incident-words.ts";

/** Lines about changes before an incident, and as many about those since. */
const MOST = 2;
/** With the words before it and its date, a line has at most 100 characters. */
const WHAT = 42;
const PERSON = 20;

/** What was changed since it began and in the hour before, newest first. */
export function changeLines(incident: Incident, { history }: Pick<IncidentCard, "history">): Line[] {
  const { openedAt } = incident;
  const done = changesIn(incident, history ?? []);
  const since = done.filter(({ at }) => at > openedAt).slice(0, MOST);
  const before = done.filter(({ at }) => at <= openedAt).slice(0, MOST);
  return [
    ...since.map((event) => lineOf("Since then: ", event)),
    ...before.map((event) => lineOf("Before it: ", event)),
    ...(before.length === 0 ? seenBefore(incident, history !== undefined) : []),
  ];
}

/**
 * The last change since it began, which may be why it is over. That it recovered without any is known only of what was requested
 * here.
 */
export function endLines(incident: Incident, { history }: Pick<IncidentCard, "history">): Line[] {
  const { openedAt, end, name } = incident;
  if (history === undefined || name === undefined) return [];
  const [last] = changesIn(incident, history).filter(({ at }) => at > openedAt);
  if (last !== undefined) return [lineOf("Last change: ", last)];
  return end === "recovered" ? ["Nothing was changed through Gantry meanwhile"] : [];
}

/** What took effect, or may have. The row of a job that failed tells its failure again. */
function changesIn({ cause }: Incident, history: readonly HistoryEvent[]): readonly HistoryEvent[] {
  return history
    .filter(({ kind }) => cause !== "job-failed" || kind !== "health")
    .filter(({ kind, request }) => ["done", "unknown"].includes(request?.state ?? kind));
}

function lineOf(before: string, event: HistoryEvent): Line {
  return [words(`${before}${short(whatOf(event), WHAT)}${byWhom(event)}`), moment(event.at.toISOString(), ", ")];
}

/** ":4.12 deployed", "rolled back to :4.11", "memory set to 512 MiB". */
function whatOf({ request, verb = "" }: HistoryEvent): string {
  if (request === undefined) return (verbWords(verb) ?? wordsOf({ op: "updateService" })).line.past;
  if (request.state === "unknown") return `${askOf(request)}, outcome unknown`;
  if (request.ending?.kind === "run" && request.ending.outcome.kind === "asked") return `${askOf(request)} accepted`;
  return `${doneOf(request)}${retreatOf(request)?.state === "gone" ? ", went back" : ""}`;
}

function askOf(request: StoredChange): string {
  return lower(wordsOf(request).line.ask);
}

function doneOf(request: StoredChange): string {
  const version = versionName(request.diff);
  if (request.verb === "rollback") return version === undefined ? "rolled back" : `rolled back to ${version}`;
  const [, after] = split(request, "done");
  // "Deployed 1.5 to web" has nothing after the name.
  return after === "" ? `${version ?? "a new version"} deployed` : after.trim();
}

function byWhom({ request, who }: HistoryEvent): string {
  if (request?.wayBackOf !== undefined) return " automatically";
  const { name } = request?.requester ?? who ?? {};
  return name === undefined ? "" : ` by ${short(name, PERSON)}`;
}

/** What a poll saw and no request explains. */
function seenBefore({ changedBefore }: Incident, isKnown: boolean): Line[] {
  if (changedBefore === undefined) return [];
  const { at, words: seen } = changedBefore;
  const version = versionName([seen]);
  const what = seen === "was created" ? "created" : version === undefined ? "changed" : `${version} deployed`;
  const detail = what === "changed" ? `: ${brief(seen, WHAT)}` : "";
  return [[moment(at, `Before it: ${what}${isKnown ? " outside Gantry" : ""}${detail}, `)]];
}

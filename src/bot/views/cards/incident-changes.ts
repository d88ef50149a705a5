import { brief } from "../../../api/workload-status.ts";
import type { HistoryEvent } from "../../changes/history-event.ts";
import type { Incident } from "../../watch/incident.ts";
import type { Line } from "../kit/blocks.ts";
import { historyLine } from "./history-line.ts";
import { moment } from "../kit/inline.ts";
import { versionName } from "./phrases.ts";
import type { IncidentCard } from "./incident-words.ts";

type Known = Pick<IncidentCard, "history" | "isHistoryWhole" | "defaultRegion">;

/** Lines about changes before an incident, and as many about those since. */
const MOST = 2;
/** With the words before it and its date, a line has at most 100 characters. */
const WHAT = 42;

/** What was changed since it began and in the hour before, newest first. */
export function changeLines(incident: Incident, { history, isHistoryWhole, defaultRegion }: Known): Line[] {
  const { openedAt } = incident;
  const done = changesIn(incident, history ?? []);
  const since = done.filter(({ at }) => at > openedAt).slice(0, MOST);
  const before = done.filter(({ at }) => at <= openedAt).slice(0, MOST);
  // A row has the time of the end: its request may have been sent before the incident.
  const areLater = done.every(({ at, request }) => (request?.claimedAt ?? at) > openedAt);
  const isOutside = history !== undefined && isHistoryWhole && areLater;
  return [
    ...since.map((event) => lineOf("Since then:", event, defaultRegion)),
    ...before.map((event) => lineOf("Before it:", event, defaultRegion)),
    ...(before.length === 0 ? seenBefore(incident, isOutside) : []),
  ];
}

/**
 * The last change since it began, which may be why it is over. That it recovered without any is known only of what was requested
 * here, and only with all of that.
 */
export function endLines(incident: Incident, { history, isHistoryWhole, defaultRegion }: Known): Line[] {
  const { openedAt, end, name } = incident;
  if (history === undefined || name === undefined) return [];
  const [last] = changesIn(incident, history).filter(({ at }) => at > openedAt);
  if (last !== undefined) return [lineOf("Last change:", last, defaultRegion)];
  return end === "recovered" && isHistoryWhole ? ["Nothing was changed through Gantry meanwhile"] : [];
}

/** What took effect, or may have. The row of a job that failed tells its failure again. */
function changesIn({ cause }: Incident, history: readonly HistoryEvent[]): readonly HistoryEvent[] {
  return history
    .filter(({ kind }) => cause !== "job-failed" || kind !== "health")
    .filter(({ kind, request }) => ["done", "unknown"].includes(request?.state ?? kind));
}

function lineOf(lead: string, event: HistoryEvent, defaultRegion: string): Line {
  return historyLine(event, { lead, defaultRegion, detail: "brief", isHealthSaid: true });
}

/** What a poll saw. `isOutside`: no request explains it. */
function seenBefore({ changedBefore }: Incident, isOutside: boolean): Line[] {
  if (changedBefore === undefined) return [];
  const { at, words: seen } = changedBefore;
  const version = versionName([seen]);
  const what = seen === "was created" ? "Created" : version === undefined ? "Changed" : `Deployed ${version}`;
  const detail = what === "Changed" ? `: ${brief(seen, WHAT)}` : "";
  return [[moment(at, `Before it: ${what}${isOutside ? " outside Gantry" : ""}${detail} · `)]];
}

import { brief } from "../../../api/workload-status.ts";
import type { Incident } from "../../watch/incident.ts";
import { type Block, type Line, section } from "../kit/blocks.ts";
import { afterName } from "../kit/health.ts";
import { moment, strong, words } from "../kit/inline.ts";
import { counted, visible } from "../kit/text.ts";
import { changeLines, endLines } from "./incident-changes.ts";
import {
  API,
  dotOfOpen,
  headlineOver,
  type IncidentCard,
  incidentWords,
  openWords,
  sinceWords,
  wasSeen,
} from "./incident-words.ts";

/** Characters of the first line: what fails, and why. */
const VERDICT = 80;
/** A shorter piece of a cause says nothing. */
const LEAST = 16;
const REASON = 240;

/** What fails and why, then the facts. */
export function oneIncident(incident: Incident, card: IncidentCard): Block[] {
  if (incident.overAt !== undefined) return [section([headlineOver(incident)], ...overLines(incident, card))];
  const { cause, times } = incident;
  const [first, ...others] = causesOf(incident, card);
  const [what, why] = verdictOf(incident, first);
  const status = cause === "api-away" ? "" : statusLine(incident);
  const often = times > 1 ? [words(` · ${times} times`)] : [];
  return [
    section(
      [words(`${dotOfOpen(incident)} `), strong(what, 300), ...(why === "" ? [] : [words(why)])],
      ...(status === "" ? [] : [[words(status)]]),
      ...(first === undefined || why.endsWith(first) ? [] : [[words(brief(first, REASON), REASON)]]),
      ...others.map((other): Line => [words(brief(other, REASON), REASON)]),
      [...sinceWords(incident), ...often],
      ...changeLines(incident, card),
    ),
  ];
}

/** "payments keeps crashing", ": lost the connection to the database". */
function verdictOf(incident: Incident, first: string | undefined): readonly [what: string, why: string] {
  const { seen, cause, name } = incident;
  const what = visible(afterName(name ?? API, openWords(incident)));
  const room = VERDICT - `${dotOfOpen(incident)} ${what}: `.length;
  const isWhy = cause !== "api-away" && seen?.cause === cause && first !== undefined && room >= LEAST;
  return [what, isWhy ? `: ${brief(first, room)}` : ""];
}

/** What explains it best first. What a crash logged says more than that it crashed; elsewhere, the workload API knows more than the log. */
function causesOf({ seen, kind }: Incident, { logCause }: IncidentCard): readonly string[] {
  const reason = visible(seen?.reason ?? "");
  const logged = visible(logCause ?? "");
  const isCrash = kind === "service" && seen?.facts !== undefined;
  const causes = [...new Set(isCrash ? [logged, reason] : [reason, logged])];
  return causes.filter((each) => each !== "" && !causes.some((other) => other !== each && other.includes(each)));
}

/** "exit 3, 14 restarts · 0 of 2 ready". */
function statusLine(incident: Incident): string {
  const { seen, cause } = incident;
  if (seen === undefined) return "How it is now isn't known";
  const { ready, size, facts = "" } = seen;
  const counts = ready === undefined || size === undefined || ready >= size ? "" : `${ready} of ${size} ready`;
  // One fact, one place: the headline says what it is.
  const now = seen.cause === cause ? "" : seen.words;
  return [now, facts, counts].filter((part) => part !== "").join(" · ");
}

/** Why it is over, as far as that is known, and then how it was. */
function overLines(incident: Incident, card: IncidentCard): Line[] {
  const { overUnseenSince } = incident;
  const lines = [...endLines(incident, card), ...pastLine(incident)];
  if (overUnseenSince === undefined) return lines;
  const from = moment(overUnseenSince.toISOString(), "I wasn't running since ");
  return [...lines, [from, words(", so I don't know when it ended.")]];
}

/** "It kept crashing from 14:02 · 3 restarts · 2 times". */
function pastLine({ cause, seen, times, end, restartsBefore, openedAt, unseenSince }: Incident): Line[] {
  if (cause === "api-away") return [];
  const restarts = seen?.restarts === undefined || restartsBefore === undefined ? 0 : seen.restarts - restartsBefore;
  const it = `It ${incidentWords[cause].was}`;
  const isDated = wasSeen(end) && unseenSince === undefined && cause !== "job-failed";
  const was = isDated ? moment(openedAt.toISOString(), `${it} from `) : words(`${it}${wasSeen(end) ? "" : LAST}`);
  const counts = [...(restarts > 0 ? [counted(restarts, "restart")] : []), ...(times > 1 ? [`${times} times`] : [])];
  return [[was, ...counts.map((count) => words(` · ${count}`))]];
}

const LAST = " when I looked last";

import type { Redacted } from "../../../api/redacted.ts";
import type { HistoryEvent } from "../../changes/history-event.ts";
import type { Alert, Incident, IncidentCause, NoticedEvent } from "../../watch/incident.ts";
import { causeWords } from "../../../api/cause.ts";
import { statusSentence } from "../../../api/workload-status.ts";
import { besideButton, openButton, runButton } from "../kit/ask-buttons.ts";
import { afterName, dotOf } from "../kit/health.ts";
import {
  actionButton,
  type Block,
  context,
  type Line,
  listed,
  preformatted,
  section,
  suggesting,
} from "../kit/blocks.ts";
import { historyLine } from "../kit/history-line.ts";
import { type Inline, moment, strong, words } from "../kit/inline.ts";
import { newestPage } from "../kit/log-text.ts";
import { type Post, postOf } from "../kit/post.ts";
import { counted, truncate, visible, visibleLines } from "../kit/text.ts";
import { span } from "../kit/time.ts";

export type IncidentCard = {
  readonly alert: Alert;
  /** This region isn't mentioned. */
  readonly defaultRegion: string;
  /** What was requested about the one workload since an hour before it, newest first. */
  readonly history: readonly HistoryEvent[];
  /** Slack took, or may have taken, an earlier message of it, which nothing updates. */
  readonly isAgain?: boolean;
};

const LISTED = 10;
const REASON = 240;

/** The message of an alert in any state. It never looks better than the workloads do: who isn't known to be well has no green. */
export function incidentCard(card: IncidentCard): Post {
  const { alert } = card;
  const { incidents, events, taken } = alert;
  const [only] = incidents;
  const about = incidents.length === 1 && only !== undefined ? oneIncident(only, card) : someIncidents(incidents, card);
  const isOpen = incidents.some(({ overAt }) => overAt === undefined);
  const whose = taken === undefined ? [] : [section([words("👋 "), strong(taken.name, 80), words(" is on it")])];
  return postOf([
    ...about,
    ...eventBlocks(events, card),
    ...whose,
    ...smallPrint(alert, card),
    ...(card.isAgain === true ? [context("Posted again. Only this message is updated.")] : []),
    ...buttonsFor(alert, isOpen),
  ]);
}

const incidentWords: Readonly<Record<IncidentCause, (typeof causeWords)["failing"]>> = {
  ...causeWords,
  "api-away": { one: "doesn't answer", several: "don't answer", was: "didn't answer" },
};

const API = "The workload API";

function oneIncident(incident: Incident, card: IncidentCard): Block[] {
  const { seen, cause } = incident;
  const reason = seen?.reason === undefined ? [] : [[words(truncate(visible(seen.reason), REASON), REASON)]];
  if (incident.overAt !== undefined) return [section([headlineOver(incident)], ...overLines(incident, card))];
  const status = cause === "api-away" ? "" : statusLine(incident);
  const lines: Line[] = status === "" ? [] : [[words(status)]];
  return [section(headlineOpen(incident), ...lines, ...reason, sinceLine(incident), ...beforeLines(incident, card))];
}

function headlineOpen(incident: Incident): Line {
  return [
    words(`${dotOfOpen(incident)} `),
    strong(afterName(incident.name ?? API, openWords(incident)), 300),
    ...oftenWords(incident),
  ];
}

/** It failed, and may be starting again: that doesn't explain it. */
function openWords({ seen, cause }: Incident): string {
  if (cause === "api-away") return seen?.words ?? incidentWords[cause].one;
  return seen?.cause === cause ? statusSentence(seen) : incidentWords[cause].one;
}

function dotOfOpen({ seen, cause }: Incident): string {
  return dotOf({ level: seen?.cause === cause ? seen.level : "failing" });
}

/** " · 3 times since 14:02"; empty the first time. */
function oftenWords({ times, openedAt }: Incident): Inline[] {
  return times > 1 ? [moment(openedAt.toISOString(), ` · ${times} times since `)] : [];
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

function sinceLine({ openedAt, unseenSince, cause }: Incident): Line {
  const at = openedAt.toISOString();
  if (unseenSince === undefined) return [moment(at, cause === "api-away" ? "Since " : "Seen since ")];
  const away = moment(unseenSince.toISOString(), ". I wasn't running since ");
  return [moment(at, "Found "), away, words(".")];
}

/** What changed in the hour before: requests by name, and what changed without one. */
function beforeLines({ openedAt, changedBefore, cause }: Incident, card: IncidentCard): Line[] {
  const { defaultRegion } = card;
  const detail = { defaultRegion, detail: "full", isHealthSaid: true } as const; // literals
  // The row of a job that failed tells this failure again.
  const history = card.history.filter(({ kind }) => cause !== "job-failed" || kind !== "health");
  const before = history.filter(({ at }) => at <= openedAt).slice(0, 2);
  const after = history.filter(({ at }) => at > openedAt).slice(0, 2);
  const line = (event: HistoryEvent): Inline[] => historyLine(event, detail);
  const known = before.map((event): Line => [words("Before it: "), ...line(event)]);
  const since = after.map((event): Line => [words("Since then: "), ...line(event)]);
  if (changedBefore === undefined || before.length > 0) return [...known, ...since];
  const what = `Before it: ${changedBefore.words.replace(/^was /u, "")}, not by a request here, `;
  return [[moment(changedBefore.at, what)], ...since];
}

/** What became of one, and of some among several. */
const ends: Readonly<Record<NonNullable<Incident["end"]>, readonly [dot: string, what: string, some: string]>> = {
  recovered: ["🟢", "recovered", "recovered"],
  stopped: ["⚪️", "was stopped", "stopped"],
  idle: ["⚪️", "became idle", "idle"],
  deleted: ["⚪️", "was deleted", "deleted"],
  replaced: ["⚪️", "was replaced by another workload of its name", "replaced"],
  unwatched: ["⚪️", "isn't watched any more", "not watched any more"],
  restored: [
    "⚪️",
    "isn't updated here any more: Gantry was restored from a backup",
    "not updated any more after a restore",
  ],
};

/** False for an incident that is no longer polled: its end wasn't seen. */
function wasSeen(end: Incident["end"]): boolean {
  return end !== "unwatched" && end !== "restored";
}

function headlineOver(incident: Incident): Inline {
  const { name, cause, end = "unwatched" } = incident;
  const [dot, what] = ends[end];
  if (cause === "api-away") {
    const text = end === "recovered" ? "answers again" : "isn't asked any more";
    return strong(`${dot} ${API} ${text}${afterWords(incident)}`, 300);
  }
  return strong(`${dot} ${name} ${what}${wasSeen(end) ? afterWords(incident) : ""}`, 300);
}

/** " after 12 min"; of an end that nobody saw, when at the latest. */
function afterWords({ openedAt, overAt, overUnseenSince }: Incident): string {
  if (overAt === undefined) return "";
  const lasted = span(overAt.getTime() - openedAt.getTime());
  return overUnseenSince === undefined ? ` after ${lasted}` : ` after ${lasted} at the latest`;
}

function overLines(incident: Incident, { history, defaultRegion }: IncidentCard): Line[] {
  const { cause, seen, times, end, restartsBefore, openedAt, overUnseenSince } = incident;
  const restarts = seen?.restarts === undefined || restartsBefore === undefined ? 0 : seen.restarts - restartsBefore;
  const facts = [
    ...(cause === "api-away" ? [] : [`It ${incidentWords[cause].was}${wasSeen(end) ? "" : " when I looked last"}`]),
    ...(restarts > 0 ? [counted(restarts, "restart")] : []),
    ...(times > 1 ? [`${times} times`] : []),
  ];
  const done = history
    .filter(({ at }) => at > openedAt)
    .slice(0, 2)
    .map((event): Line => historyLine(event, { defaultRegion, detail: "full", isHealthSaid: true }));
  const said = facts.length === 0 ? [] : [[words(facts.join(" · "))]];
  if (overUnseenSince === undefined) return [...said, ...done];
  const from = moment(overUnseenSince.toISOString(), "I wasn't running since ");
  return [...said, [from, words(", so I don't know when it ended.")], ...done];
}

/** Several: how many still fail, and a line for each. */
function someIncidents(incidents: readonly Incident[], card: IncidentCard): Block[] {
  const [first] = incidents;
  if (first === undefined) return [];
  const open = incidents.filter(({ overAt }) => overAt === undefined);
  if (incidents.every(({ cause }) => cause === "api-away")) return apiAway(incidents, open);
  const listed = [...open, ...incidents.filter(({ overAt }) => overAt !== undefined)];
  const lines = listed.slice(0, LISTED).map((incident) => listLine(incident, card));
  const rest = restWords(listed.slice(LISTED));
  return [section([someHeadline(incidents, open)], ...lines, ...(rest === "" ? [] : [rest]))];
}

/** "and 79 more, 111 no longer fail", about those that aren't listed. */
function restWords(rest: readonly Incident[]): string {
  const failingOnes = rest.filter(({ overAt }) => overAt === undefined).length;
  if (rest.length === 0) return "";
  if (failingOnes === 0 || failingOnes === rest.length) return `and ${rest.length} more`;
  return `and ${failingOnes} more, ${rest.length - failingOnes} no longer fail`;
}

function someHeadline(incidents: readonly Incident[], open: readonly Incident[]): Inline {
  const all = incidents.length;
  if (open.length === 0) {
    if (incidents.every(({ cause }) => cause === "api-away")) return apiBack(incidents);
    return strong(endedHeadline(incidents), 300);
  }
  const [cause, ...others] = new Set(open.map((each) => each.cause));
  const shared = new Set(open.map((each) => each.shared));
  const [common] = shared.size === 1 ? shared : [];
  const count = open.length === all ? counted(all, "workload") : `${open.length} of ${counted(all, "workload")}`;
  const what = others.length > 0 || cause === undefined ? "failing" : cause;
  const from = common === undefined ? "" : what === "image" ? ` from ${common}` : ` on ${common}`;
  const dot = open.every((each) => dotOfOpen(each) === dotOf({ level: "busy" })) ? "busy" : "failing";
  const many = incidentWords[what];
  return strong(`${dotOf({ level: dot })} ${count} ${open.length === 1 ? many.one : many.several}${from}`, 300);
}

/** "🟢 3 workloads recovered", "⚪️ 3 workloads: 2 recovered, 1 deleted". */
function endedHeadline(incidents: readonly Incident[]): string {
  const counts = Object.entries(ends).flatMap(([how, [, , what]]) => {
    const count = incidents.filter(({ end = "unwatched" }) => end === how).length;
    return count === 0 ? [] : [{ count, what }];
  });
  const [only, ...others] = counts;
  const dot = incidents.every(({ end }) => end === "recovered") ? "🟢" : "⚪️";
  if (only !== undefined && others.length === 0) return `${dot} ${counted(only.count, "workload")} ${only.what}`;
  const each = counts.map(({ count, what }) => `${count} ${what}`).join(", ");
  return `${dot} ${counted(incidents.length, "workload")}: ${each}`;
}

function listLine(incident: Incident, { defaultRegion }: IncidentCard): Line {
  const { name, seen, region, kind, overAt, end = "unwatched" } = incident;
  const where = kind === "service" && region !== defaultRegion ? ` in ${region}` : "";
  const named = strong(name ?? API, 63);
  if (overAt !== undefined) {
    const [dot, what] = ends[end];
    return [words(`${dot} `), named, words(`${where} · ${what}${wasSeen(end) ? afterWords(incident) : ""}`)];
  }
  const facts = seen?.facts === undefined ? "" : `: ${seen.facts}`;
  return [words(`${dotOfOpen(incident)} `), named, words(`${where} · ${openWords(incident)}${facts}`, 160)];
}

function apiAway(incidents: readonly Incident[], open: readonly Incident[]): Block[] {
  const kinds = (some: readonly Incident[]): string =>
    [...new Set(some.map(({ kind, region }) => `${kind}s in ${region}`))].slice(0, LISTED).join(", ");
  const [first] = open;
  if (first === undefined) return [section([apiBack(incidents)], [words(kinds(incidents))])];
  const reason = first.seen?.reason;
  return [
    section(
      [words("🔴 "), strong(`${API} ${openWords(first)}`)],
      ...(reason === undefined ? [] : [[words(reason, REASON)]]),
      [words(`I can't see ${kinds(open)}.`)],
      sinceLine(first),
    ),
  ];
}

/** "The workload API answers again after 12 min", by the longest of these outages. */
function apiBack(incidents: readonly Incident[]): Inline {
  const lasted = ({ openedAt, overAt = openedAt }: Incident): number => overAt.getTime() - openedAt.getTime();
  const answering = incidents.filter(({ end }) => end === "recovered");
  const [longest] = (answering.length > 0 ? answering : incidents).toSorted(
    (one, other) => lasted(other) - lasted(one),
  );
  return longest === undefined ? strong(`🟢 ${API} answers again`) : headlineOver(longest);
}

/** Events are never redrawn, so they have marks for what happened, not status dots. */
const eventMarks: Readonly<Record<NoticedEvent["event"], string>> = {
  failing: "⚠️",
  recovered: "✅",
  "job-failed": "❌",
  "job-done": "✅",
  restarts: "⚠️",
  "out-of-memory": "⚠️",
  deployed: "🔄",
  changed: "🔄",
};

function eventBlocks(events: readonly NoticedEvent[], { defaultRegion }: IncidentCard): Block[] {
  const lines = events.slice(0, LISTED).map((event): Line => {
    const { kind, region, name, words: what, unseenSince } = event;
    const where = kind === "service" && region !== defaultRegion ? ` in ${region}` : "";
    const late: Inline[] = unseenSince === undefined ? [] : [moment(unseenSince.toISOString(), " · some time after ")];
    return [
      words(`${eventMarks[event.event]} `),
      strong(name, 63),
      words(`${where} ${joining(what)}${what}`, 300),
      ...late,
    ];
  });
  return listed(lines, { left: events.length - lines.length });
}

/** "image a → b" needs a dot after the name, "was created" doesn't. */
function joining(what: string): string {
  return /^(?:was|is|crashed)\b/u.test(what) ? "" : "· ";
}

function smallPrint({ incidents }: Alert, { defaultRegion }: IncidentCard): Block[] {
  const [only, ...others] = incidents;
  if (only === undefined || others.length > 0) return [];
  const { kind, region, account, name } = only;
  const what = name === undefined ? `${kind}s` : kind;
  return [
    context(
      [what, ...(kind === "service" && region !== defaultRegion ? [region] : []), `account ${account}`].join(" · "),
    ),
  ];
}

/** Reads are answered below the card, which stays as it is; what changes something opens its form. */
function buttonsFor({ id, incidents, taken }: Alert, isOpen: boolean): Block[] {
  const [only, ...others] = incidents;
  if (only === undefined) return [];
  const take =
    isOpen && taken === undefined
      ? actionButton({ label: "I'm on it", action: { kind: "takeAlert" }, value: id })
      : undefined;
  if (only.name === undefined) return suggesting(take);
  if (others.length > 0) {
    return suggesting(take, besideButton("Show all", { verb: "list", region: only.region, share: false, args: {} }));
  }
  const { kind, region, seen, end } = only;
  if (end === "deleted" || end === "replaced") return [];
  const name = `${kind}/${only.name}`;
  const look = (verb: string, label: string) => besideButton(label, { verb, region, share: false, args: { name } });
  const open = (verb: string, label: string) => openButton(label, { verb, values: { name }, region });
  const mends = isOpen && kind === "service";
  return suggesting(
    take,
    look("logs", "Logs"),
    look("why", "Why"),
    mends ? open("restart", "Restart") : undefined,
    mends && Number(seen?.revision ?? 0) > 1 ? open("rollback", "Roll back") : undefined,
    isOpen
      ? runButton("Mute 1 h", { verb: "mute", share: false, args: { name: only.name, until: ["1h"] } }, { at: 0 })
      : undefined,
  );
}

/** The first reply of the thread: the last log lines. Named, because the card may list more later. */
export function lastLinesReply(name: string, lines: readonly Redacted[]): Post | undefined {
  if (lines.length === 0) return undefined;
  const { text } = newestPage(lines.map(visibleLines));
  return postOf([section([words("Last lines of "), strong(name, 255)]), preformatted(text)]);
}

/** One line for the thread: updating a card notifies nobody. */
export function newsReply(incidents: readonly Incident[], news: "over" | "again"): Post {
  const [only, ...others] = incidents;
  if (only === undefined) return postOf([section("Over")]);
  // A reply is never redrawn, so it says what happened. The card shows the current status.
  if (news === "again") {
    const doesNotAnswer = openWords(only) === incidentWords["api-away"].one;
    const api = `${API} ${doesNotAnswer ? "stopped answering" : openWords(only)} again`;
    const what = only.name === undefined ? api : `${only.name} failed again`;
    return postOf([section([words("⚠️ "), strong(what, 300), ...oftenWords(only)])]);
  }
  return postOf([section([others.length === 0 ? headlineOver(only) : someHeadline(incidents, [])])]);
}

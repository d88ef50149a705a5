import type { Incident } from "../../watch/incident.ts";
import { type Block, type Line, section } from "../kit/blocks.ts";
import { dotOf } from "../kit/health.ts";
import { type Inline, strong, words } from "../kit/inline.ts";
import { counted } from "../kit/text.ts";
import {
  afterWords,
  API,
  dotOfOpen,
  ends,
  headlineOver,
  type IncidentCard,
  incidentWords,
  LISTED,
  openWords,
  sinceWords,
  wasSeen,
} from "./incident-words.ts";

/** Several: how many still fail, and a line for each. */
export function someIncidents(incidents: readonly Incident[], card: IncidentCard): Block[] {
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

export function someHeadline(incidents: readonly Incident[], open: readonly Incident[]): Inline {
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
      ...(reason === undefined ? [] : [[words(reason, 240)]]),
      [words(`I can't see ${kinds(open)}.`)],
      sinceWords(first),
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

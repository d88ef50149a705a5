import type { Facts, ReplicaReport } from "../facts.ts";
import { broken, type Judged, ok, warning, ageOf, counted, shortSpan } from "../finding.ts";

/** Reports of the live replicas that can be read. */
export function reportsOf({ replicas }: Pick<Facts, "replicas">): readonly ReplicaReport[] {
  return (replicas ?? []).flatMap(({ report }) => (report === undefined ? [] : [report]));
}

/** A second connection covers the refresh of the first; a missing one is opened again within this time. */
const ONE_LINK_FOR_MS = 60_000;

/** The live WebSockets of each replica, and those of another Gantry. Nothing over HTTP, where Slack connects. */
export function connections(facts: Facts): Judged[] {
  const reports = reportsOf(facts).filter(({ transport }) => transport.kind === "socket");
  const own = reports.map(({ host, transport: { links }, startedAt }) => {
    if (links.length === 0) {
      return broken(`${host} has no connection to Slack`, "Check the network and HTTPS_PROXY; its log says why.");
    }
    const isYoung = facts.now.getTime() - Date.parse(startedAt) < ONE_LINK_FOR_MS;
    const says = `${host} has ${counted(links.length, "connection")} to Slack, the oldest for ${shortSpan(Math.max(...links))}`;
    return links.length > 1 || isYoung
      ? ok(says)
      : warning(`${host} has only one connection to Slack, so a refresh can delay commands`, "See its log for why.");
  });
  const others = Math.max(0, ...reports.map(({ transport }) => transport.others ?? 0));
  if (others === 0) return own;
  const says = `Another program, probably a second Gantry, has ${counted(others, "connection")} to this Slack app and gets some of the commands and clicks`;
  return [...own, warning(says, "Stop it, or give it its own Slack app.")];
}

const names = { command: "command", click: "click", event: "event" } as const;

/** When something last arrived from Slack, at any replica, and requests that were refused for their signature. */
export function deliveries(facts: Facts): Judged[] {
  const reports = reportsOf(facts);
  if (reports.length === 0) return [];
  return [...refusedSignatures(reports, facts.now), ...lastArrivals(facts, reports)];
}

const RECENT_MS = 60 * 60_000;

function refusedSignatures(reports: readonly ReplicaReport[], now: Date): Judged[] {
  const count = reports.reduce((sum, { refused }) => sum + refused.count, 0);
  const last = newest(reports.map(({ refused }) => refused.last));
  if (last === undefined) return [];
  const hasArrived = reports.some(({ arrived }) => newest(Object.values(arrived)) !== undefined);
  // Anybody on the internet can send such a request, so while signed ones arrive, old ones are no news.
  if (hasArrived && now.getTime() - Date.parse(last) >= RECENT_MS) return [];
  const says = `${counted(count, "request")} with a wrong signature since the start, the last ${ageOf(last, now)} ago`;
  const todo = "Copy the Signing Secret from Basic Information on your app's page into SLACK_SIGNING_SECRET.";
  return [hasArrived ? warning(says, todo) : broken(says, todo)];
}

function lastArrivals(facts: Facts, reports: readonly ReplicaReport[]): Judged[] {
  const { now } = facts;
  const last = {
    command: newest(reports.map(({ arrived }) => arrived.command)),
    click: newest(reports.map(({ arrived }) => arrived.click)),
    event: newest(reports.map(({ arrived }) => arrived.event)),
  };
  const since = ageOf(reports.map(({ startedAt }) => startedAt).toSorted()[0] ?? now.toISOString(), now);
  if (newest(Object.values(last)) === undefined) {
    return [warning(`Nothing has arrived from Slack in the ${since} since the start`, setUp(facts))];
  }
  const kinds = (["command", "click", "event"] as const).flatMap((kind) => {
    const at = last[kind];
    return at === undefined ? [] : [`${names[kind]} ${ageOf(at, now)} ago`];
  });
  return [ok(`Last from Slack: ${kinds.join(", ")}`)];
}

function setUp({ transport, slackKind }: Facts): string {
  if (slackKind === "playground") return "Type `/gantry help` on the page of the simulated Slack.";
  return transport === "socket"
    ? "Type `/gantry help` in Slack. If nothing happens, check that Socket Mode is on in the app's settings."
    : "Type `/gantry help` in Slack. If it fails, check the Request URLs in the app's settings.";
}

function newest(times: readonly (string | undefined)[]): string | undefined {
  return times
    .filter((time) => time !== undefined)
    .toSorted()
    .at(-1);
}

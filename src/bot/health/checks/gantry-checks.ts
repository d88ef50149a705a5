import { reportsOf, type Facts } from "../facts.ts";
import { broken, type Judged, ok, warning, ageOf, counted, shortSpan } from "../finding.ts";
import { takesWrites } from "./api-and-database-checks.ts";

export function policy(facts: Facts): Judged[] {
  const { source, rules, problem, groups, elsewhere = [] } = facts.policy;
  if (problem !== undefined) return [brokenFile(problem, facts, "check", "policy stays")];
  if (elsewhere.length > 0) {
    return elsewhere.map((running) =>
      warning(
        `Policy: ${running.host} uses ${running.source}, ${counted(running.rules, "rule")}; here it is ${source}, ${counted(rules, "rule")}`,
        "Run this with the settings of the bot. If you have just changed the file, check `/gantry status`.",
      ),
    );
  }
  const known = facts.slack.map((each) => each.groups);
  const unknown = known.includes(undefined) ? [] : groups.filter((id) => !known.flat().includes(id));
  if (facts.slack.length > 0 && unknown.length > 0) {
    const says = `Policy: ${source} names user groups that don't exist in Slack: ${unknown.slice(0, 5).join(", ")}`;
    return [warning(says, "Correct these ids: their rules match nobody.")];
  }
  return [ok(`Policy: ${source}, ${counted(rules, "rule")}`)];
}

export function watches(facts: Facts): Judged[] {
  if (facts.watches === undefined) return [];
  const { source, count, problem } = facts.watches;
  return [
    problem === undefined
      ? ok(`Watches: ${count} in ${source}`)
      : brokenFile(problem, facts, "watches", "watches stay"),
  ];
}

/** A running bot keeps what the last valid file said. */
function brokenFile(problem: string, { replicas: live = [] }: Facts, check: "check" | "watches", kept: string): Judged {
  const todo = `Correct the file; \`npm run policy -- ${check}\` shows its problems.`;
  return live.length > 0
    ? warning(`${problem} The previous ${kept} in force`, todo)
    : broken(`${problem} Gantry won't start with it`, todo);
}

export function replicas(facts: Facts): Judged[] {
  const { replicas: live, now } = facts;
  if (live === undefined) return [];
  if (live.length === 0) return [noReplica(facts)];
  const reports = reportsOf(facts);
  const each = reports.map(({ host, version, startedAt }) => `${host} ${version}, up ${ageOf(startedAt, now)}`);
  const unread = live.length - reports.length;
  const all = unread === 0 ? each : [...each, `${counted(unread, "replica")} without a report`];
  const says = `${counted(live.length, "live replica")}: ${all.join("; ")}`;
  const unready = reports.filter(({ missing }) => missing.length > 0);
  if (unready.length > 0) {
    return unready.map(({ host, missing }) =>
      broken(`${host} isn't ready: ${missing.join("; ")}`, "See the other lines, and its log."),
    );
  }
  const versions = new Set(reports.map(({ version }) => version));
  if (versions.size > 1) return [warning(says, "Update all replicas to the same version.")];
  return [ok(says)];
}

/** No live heartbeat: Gantry is stopped, or the database can't store its heartbeat. */
function noReplica(facts: Facts): Judged {
  const { lastHeartbeat, now } = facts;
  if (!takesWrites(facts)) {
    return warning(
      "Can't tell whether Gantry is running: the database can't store its heartbeat",
      "Fix the database first. Until then, `/readyz` says whether Gantry runs.",
    );
  }
  if (lastHeartbeat === undefined) {
    return broken("Gantry isn't running: no replica is alive", "Start Gantry.");
  }
  const { host = "A replica", overAt } = lastHeartbeat;
  return broken(
    `${host} has stored no heartbeat for ${ageOf(overAt, now)}: it was killed, or the database stores nothing`,
    "If `/readyz` answers, check the database's disk and rights. If nothing answers, start Gantry.",
  );
}

/** Says something only while a receiver of history fails. */
export function audit({ failingReceivers, now }: Facts): Judged[] {
  return failingReceivers.map(({ name, since, waiting }) =>
    warning(
      `The audit's ${name} hasn't taken history for ${ageOf(since, now)}, and lacks ${counted(waiting, "event")}`,
      "The log has the reason; a webhook has to answer with 2xx within 10 s. Events are sent again until it does.",
    ),
  );
}

/** People notice when something waits for longer. */
const LONG_MS = 10_000;

export function lanes(facts: Facts): Judged[] {
  const all = reportsOf(facts).flatMap(({ host, lanes: each }) =>
    Object.entries(each).map(([name, lane]) => ({ host, name, ...lane })),
  );
  const stuck = all.filter(({ oldestMs, name }) => oldestMs >= LONG_MS && name !== "due");
  if (stuck.length > 0) {
    return stuck.map(({ host, name, waiting, oldestMs }) =>
      warning(
        `${host}: ${waiting} waiting in the lane \`${name}\`, the oldest for ${shortSpan(oldestMs)}`,
        "Check whether Slack, the workload API or the database is slow, or start another replica.",
      ),
    );
  }
  const running = all.reduce((sum, lane) => sum + lane.running, 0);
  const waiting = all.reduce((sum, lane) => sum + lane.waiting, 0);
  return all.length === 0 ? [] : [ok(`Nothing waits long: ${running} running, ${waiting} waiting`)];
}

const SHOWN = 5;
/** Errors of the last hour are worth a look; older ones are only listed. */
const RECENT_MS = 60 * 60_000;

/** The newest errors of all replicas, with the references to find them by in the log. */
export function errors(facts: Facts): Judged[] {
  const reports = reportsOf(facts);
  if (reports.length === 0) return [];
  const newest = reports
    .flatMap((report) => report.errors)
    .filter(({ at }) => facts.now.getTime() - Date.parse(at) < RECENT_MS)
    .toSorted((one, other) => (one.at < other.at ? 1 : -1))
    .slice(0, SHOWN);
  if (newest.length === 0) return [ok("No errors in the last hour")];
  return newest.map(({ at, says, reference }) =>
    warning(
      `${ageOf(at, facts.now)} ago: ${says}`,
      reference === undefined ? "Look at the log of that time." : `Search the log for \`${reference}\`.`,
    ),
  );
}

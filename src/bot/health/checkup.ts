import { apiAnswer, apiCalls, engine } from "./checks/api-checks.ts";
import { connections, deliveries } from "./checks/arrival-checks.ts";
import { database, databaseClock, disk, keys, schema } from "./checks/database-checks.ts";
import { audit, errors, lanes, policy, replicas, watches } from "./checks/gantry-checks.ts";
import { appToken, botTokens, channels, scopes, slackClock } from "./checks/slack-checks.ts";
import type { Facts } from "./facts.ts";
import type { Area, Finding, Judged } from "./finding.ts";

type Check = { readonly check: string; readonly area: Area; readonly judge: (facts: Facts) => readonly Judged[] };

/** Everything that the doctor and `/gantry status` look at, in this order. */
export const checks: readonly Check[] = [
  { check: "slack.token", area: "Slack", judge: botTokens },
  { check: "slack.app-token", area: "Slack", judge: appToken },
  { check: "slack.scopes", area: "Slack", judge: scopes },
  { check: "slack.connections", area: "Slack", judge: connections },
  { check: "slack.deliveries", area: "Slack", judge: deliveries },
  { check: "slack.clock", area: "Slack", judge: slackClock },
  { check: "slack.channels", area: "Slack", judge: channels },
  { check: "api.answer", area: "Workload API", judge: apiAnswer },
  { check: "api.calls", area: "Workload API", judge: apiCalls },
  { check: "api.engine", area: "Workload API", judge: engine },
  { check: "database.answer", area: "Database", judge: database },
  { check: "database.schema", area: "Database", judge: schema },
  { check: "database.clock", area: "Database", judge: databaseClock },
  { check: "database.disk", area: "Database", judge: disk },
  { check: "database.keys", area: "Database", judge: keys },
  { check: "gantry.policy", area: "Gantry", judge: policy },
  { check: "gantry.watches", area: "Gantry", judge: watches },
  { check: "gantry.replicas", area: "Gantry", judge: replicas },
  { check: "gantry.lanes", area: "Gantry", judge: lanes },
  { check: "gantry.audit", area: "Gantry", judge: audit },
  { check: "gantry.errors", area: "Gantry", judge: errors },
];

/** Judges the facts. Pure. */
export function findingsOf(facts: Facts): readonly Finding[] {
  return checks.flatMap(({ check, area, judge }) => judge(facts).map((judged) => ({ check, area, ...judged })));
}

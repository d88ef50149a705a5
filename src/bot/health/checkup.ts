import {
  apiAnswer,
  apiCalls,
  engine,
  database,
  databaseClock,
  disk,
  keys,
  schema,
} from "./checks/api-and-database-checks.ts";
import { audit, errors, lanes, policy, replicas, watches } from "./checks/gantry-checks.ts";
import { appToken, botTokens, channels, scopes, slackClock, connections, deliveries } from "./checks/slack-checks.ts";
import type { Facts } from "./facts.ts";
import { type Area, type Finding, type Judged, type State, worstOf } from "./finding.ts";
import { styleText } from "node:util";

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

const colours = { ok: "green", warning: "yellow", broken: "red" } as const;
const areas: readonly Area[] = ["Slack", "Workload API", "Database", "Gantry"];
/** "warning" and two spaces. */
const INDENT = 11;

export type TextOptions = {
  readonly columns: number;
  readonly isColoured: boolean;
  readonly title: string;
};

/** The findings for a terminal: a group for each part, and a line for each check with what to do below it. */
export function doctorText(findings: readonly Finding[], { columns, isColoured, title }: TextOptions): string {
  const paint = (state: State, text: string): string =>
    isColoured ? styleText(colours[state], text, { validateStream: false }) : text;
  const lineOf = (finding: Finding): string[] => {
    const [first = "", ...more] = wrapped(finding.says, columns - INDENT);
    const state = paint(finding.state, finding.state.padEnd(INDENT - 2));
    const todo = finding.state === "ok" ? [] : wrapped(finding.todo, columns - INDENT - 2);
    return [
      `  ${state}${first}`,
      ...more.map((each) => " ".repeat(INDENT) + each),
      ...todo.map((each, at) => `${" ".repeat(INDENT)}${at === 0 ? "→ " : "  "}${each}`),
    ];
  };
  const groups = areas.flatMap((area) => {
    const lines = findings.filter((each) => each.area === area).flatMap(lineOf);
    return lines.length === 0 ? [] : [[area, ...lines].join("\n")];
  });
  const count = (state: State): number => findings.filter((each) => each.state === state).length;
  const [fine, warnings, problems] = [count("ok"), count("warning"), count("broken")];
  const summary =
    problems + warnings === 0
      ? `All ${fine} checks are ok.`
      : `${problems} broken, ${warnings} ${warnings === 1 ? "warning" : "warnings"}, ${fine} ok.`;
  return [title, ...groups, paint(worstOf(findings), summary)].join("\n\n");
}

/** Lines of whole words; a longer word stays whole, so that addresses can be copied. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

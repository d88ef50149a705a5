import type { Part } from "./parts.ts";
import type { Outcome } from "./run-command.ts";

export type Entry = { readonly part: Part; readonly command: string; readonly outcome: Outcome };

export type Report = {
  readonly date: string;
  readonly commit: string;
  /** What it ran on, with the load at the start and at the end. */
  readonly machine: string;
  readonly isQuick: boolean;
  readonly entries: readonly Entry[];
};

/** Of a failed part: a summary is at the end. The terminal of the run has all of it. */
const LAST_LINES = 9;

/** The page. Every part is on it, whatever became of it. */
export function pageOf({ date, commit, machine, isQuick, entries }: Report): string {
  const command = isQuick ? "npm run report -- --quick" : "npm run report";
  return `${[
    "# Proof",
    `\`${command}\` ran these commands and wrote this page. Don't edit it: run it again.`,
    `| | |\n|---|---|\n| date | ${date} |\n| commit | ${commit} |\n| machine | ${machine} |`,
    ["| has to hold | command | result | took |", "|---|---|---|---|", ...entries.map(rowOf)].join("\n"),
    ...entries.flatMap(({ part, outcome }) => (outcome.kind === "failed" ? failureOf(part, outcome) : [])),
    "What nobody has run for real is listed in the [README](../README.md#known-gaps).",
  ].join("\n\n")}\n`;
}

function rowOf({ part, command, outcome }: Entry): string {
  const took = outcome.kind === "not run" ? "–" : `${outcome.seconds.toFixed(0)} s`;
  return `| **${part.title}.** ${part.claim} | \`${command}\` | ${resultOf(outcome)} | ${took} |`;
}

function resultOf(outcome: Outcome): string {
  if (outcome.kind === "passed") return "Passed";
  return outcome.kind === "failed" ? "**Failed**" : `**Not run**: ${outcome.why}`;
}

function failureOf({ title }: Part, { why, printed }: Extract<Outcome, { kind: "failed" }>): readonly string[] {
  const last = printed.slice(-LAST_LINES);
  return [`## ${title}`, `**Failed**: ${why}.`, ...(last.length > 0 ? [`\`\`\`text\n${last.join("\n")}\n\`\`\``] : [])];
}

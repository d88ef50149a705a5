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
  /** The README's own list. */
  readonly neverRun: string;
};

/** Of a part's output; a failure with traces is longer. */
const MOST_LINES = 120;

/** The page. Every part is on it, whatever became of it. */
export function pageOf({ date, commit, machine, isQuick, entries, neverRun }: Report): string {
  const size = isQuick ? "quick (`npm run report -- --quick`)" : "whole (`npm run report`)";
  const left = entries.flatMap(({ part, outcome }) =>
    outcome.kind === "not run" ? [`- ${part.title}: ${outcome.why}.`] : [],
  );
  return `${[
    "# Proof",
    "Written by a program that ran these commands and kept what they printed. Don't edit it: run it again.",
    `| | |\n|---|---|\n| date | ${date} |\n| commit | ${commit} |\n| machine | ${machine} |\n| size | ${size} |`,
    ["| part | result | took |", "|---|---|---|", ...entries.map(rowOf)].join("\n"),
    ...entries.map(sectionOf),
    "## What was not tested",
    left.length === 0 ? "Every part above was run." : `In this run:\n\n${left.join("\n")}`,
    neverRun,
  ].join("\n\n")}\n`;
}

function rowOf({ part, outcome }: Entry): string {
  const took = outcome.kind === "not run" ? "–" : `${outcome.seconds.toFixed(0)} s`;
  const result = outcome.kind === "passed" ? "Passed" : `**${resultOf(outcome)}**`;
  return `| ${part.title} | ${result} | ${took} |`;
}

function resultOf({ kind }: Outcome): string {
  return { passed: "Passed", failed: "Failed", "not run": "Not run" }[kind];
}

function sectionOf({ part, command, outcome }: Entry): string {
  const said = outcome.kind === "passed" ? "Passed." : `**${resultOf(outcome)}**: ${outcome.why}.`;
  const printed = outcome.kind === "not run" ? [] : outcome.printed;
  const kept = printed.slice(0, MOST_LINES);
  if (printed.length > kept.length) kept.push(`(${printed.length - kept.length} more lines)`);
  return [
    `## ${part.title}`,
    `Has to hold: ${part.claim}`,
    `\`\`\`sh\n${command}\n\`\`\``,
    said,
    ...(kept.length > 0 ? [`\`\`\`text\n${kept.join("\n")}\n\`\`\``] : []),
  ].join("\n\n");
}

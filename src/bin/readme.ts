import { readFileSync, writeFileSync } from "node:fs";
import { commands } from "../commands/verbs.ts";

/**
 * Writes the table of verbs into the README, between its two marks. With `--check` it writes nothing and fails when the
 * table is out of date.
 */
const readme = new URL("../../README.md", import.meta.url);
const begin = "<!-- verbs: written by `npm run generate` -->";
const end = "<!-- /verbs -->";

const cell = (text: string): string => text.replaceAll("|", "\\|");
const rows = commands.map(({ usage, summary }) => `| \`/gantry ${cell(usage)}\` | ${cell(summary)} |`);
const table = ["| you type | it does |", "|---|---|", ...rows].join("\n");

const before = readFileSync(readme, "utf8");
const from = before.indexOf(begin);
const to = before.indexOf(end);
if (from < 0 || to < from) throw new Error(`README.md lacks the marks ${begin} and ${end}`);
const after = `${before.slice(0, from + begin.length)}\n${table}\n${before.slice(to)}`;

if (!process.argv.includes("--check")) writeFileSync(readme, after);
else if (after !== before) {
  process.stderr.write("README.md: the table of verbs is stale; run `npm run generate`\n");
  process.exitCode = 1;
}

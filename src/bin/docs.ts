import { readFileSync, writeFileSync } from "node:fs";
import { settingGroups } from "../bot/compose/settings.ts";
import { defaultOf } from "../platform/settings.ts";
import type { Command } from "../bot/commands/command.ts";
import { features, type Limit } from "../service/engine.ts";
import { engines } from "../service/engines.ts";
import { commands } from "../bot/commands/verbs.ts";

/**
 * Writes the generated parts of the documentation between their marks. With `--check` it writes nothing and fails when a
 * part is out of date.
 */
const parts: Readonly<Record<string, { readonly name: string; readonly text: () => string }>> = {
  "docs/verbs.md": {
    name: "verbs",
    text: () => [verbTable(), commonOptions(), ...commands.flatMap(verbSection)].join("\n\n"),
  },
  ...Object.fromEntries(engines.map(({ docs: { page } }) => [page, { name: "engines", text: () => limitTable(page) }])),
  "docs/configuration.md": { name: "variables", text: variableTables },
};

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function verbTable(): string {
  const rows = commands.map((command) => {
    const usage = `\`${cell(usageOf(command))}\``;
    return `| ${ownOptions(command).length > 0 ? `[${usage}](#${command.name})` : usage} | ${cell(command.summary)} |`;
  });
  return ["| verb | |", "|---|---|", ...rows].join("\n");
}

/** Without the options: they are in the section of the verb. */
function usageOf({ usage }: Command): string {
  return usage.replaceAll(/ \[--\w[^\]]*\]/gu, "");
}

/** Options that many verbs share are listed once. */
function commonOptions(): string {
  const options = new Map(
    commands.flatMap(({ options: all }) => all.map((option) => [keyOf(option), option] as const)),
  );
  const rows = [...options.values()].filter(isCommon).map((option) => {
    const takers = commands.filter((command) => hasOption(command, option));
    const others = commands.filter((command) => !hasOption(command, option));
    const verbs = takers.length > others.length ? `all but ${namesOf(others)}` : namesOf(takers);
    return `| \`${cell(option.flag)}\` | ${cell(option.summary)} | ${verbs} |`;
  });
  return ["## Common options", ["| option | | verbs |", "|---|---|---|", ...rows].join("\n")].join("\n\n");
}

function namesOf(listed: readonly Command[]): string {
  return listed.map(({ name }) => `\`${name}\``).join(", ");
}

type Option = Command["options"][number];

function keyOf({ flag, summary }: Option): string {
  return `${flag} ${summary}`;
}

function isCommon(option: Option): boolean {
  return commands.filter((command) => hasOption(command, option)).length > 3;
}

/** In the same words: another summary is another option. */
function hasOption({ options }: Command, option: Option): boolean {
  return options.some((each) => keyOf(each) === keyOf(option));
}

function ownOptions({ options }: Command): readonly Option[] {
  return options.filter((option) => !isCommon(option));
}

/** Of a verb with options of its own: the table says all about the others. */
function verbSection(command: Command): readonly string[] {
  const rows = ownOptions(command).map(({ flag, summary: text }) => `| \`${cell(flag)}\` | ${cell(text)} |`);
  if (rows.length === 0) return [];
  return [`## ${command.name}`, `\`/gantry ${command.example}\``, ["| option | |", "|---|---|", ...rows].join("\n")];
}

function variableTables(): string {
  return settingGroups
    .map(({ title, settings }) => {
      const rows = Object.entries(settings).map(
        ([name, setting]) => `| \`${name}\` | ${cell(defaultOf(setting))} | ${cell(setting.meaning)} |`,
      );
      return [`## ${title}`, "", "| variable | default | meaning |", "|---|---|---|", ...rows].join("\n");
    })
    .join("\n\n");
}

/** From the tables that the engines of the page are asked before anything is started. */
function limitTable(page: string): string {
  const columns = engines
    .filter(({ docs }) => docs.page === page)
    .map(({ name, docs }) => ({ name, ...docs.limits() }));
  const rows = Object.entries(features).flatMap(([feature, { words, field }]) => {
    const cells = columns.map(({ bare, full }) => {
      const limit = limitOf(bare, feature);
      if (limit === undefined) return "yes";
      const isSettable = limitOf(full, feature) === undefined;
      return cell(`${isSettable ? "needs a setting, else " : ""}${effects[limit.effect]}: ${limit.why}`);
    });
    return cells.every((each) => each === "yes") ? [] : [`| ${[`${words} (\`${field}\`)`, ...cells].join(" | ")} |`];
  });
  const heads = ["a request for", ...columns.map(({ name }) => `\`${name}\``)];
  return [`| ${heads.join(" | ")} |`, `|${"---|".repeat(heads.length)}`, ...rows].join("\n");
}

function limitOf(limits: readonly Limit[], feature: string): Limit | undefined {
  return limits.find((limit) => limit.feature === feature);
}

const effects = { refused: "refused (400)", kept: "accepted, without effect", partly: "partly" } as const;

for (const [path, { name, text }] of Object.entries(parts)) {
  const file = new URL(`../../${path}`, import.meta.url);
  const begin = `<!-- ${name}: written by \`npm run generate\` -->`;
  const end = `<!-- /${name} -->`;
  const before = readFileSync(file, "utf8");
  const from = before.indexOf(begin);
  const to = before.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${path} lacks the marks ${begin} and ${end}`);
  const after = `${before.slice(0, from + begin.length)}\n\n${text()}\n\n${before.slice(to)}`;
  if (!process.argv.includes("--check")) writeFileSync(file, after);
  else if (after !== before) {
    process.stderr.write(`${path} is out of date; run \`npm run generate\`\n`);
    process.exitCode = 1;
  }
}

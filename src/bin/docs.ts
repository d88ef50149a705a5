import { readFileSync, writeFileSync } from "node:fs";
import { variables } from "../bot/compose/variables.ts";
import type { Command } from "../bot/commands/command.ts";
import { type Feature, features, type Limit } from "../service/capabilities.ts";
import { dockerLimits } from "../service/engines/docker/limits.ts";
import { kubernetesLimits } from "../service/engines/kubernetes/limits.ts";
import { processLimits } from "../service/engines/process/limits.ts";
import { commands } from "../bot/commands/verbs.ts";

/**
 * Writes the generated parts of the documentation between their marks. With `--check` it writes nothing and fails when a
 * part is out of date.
 */
const parts: Readonly<Record<string, { readonly name: string; readonly text: () => string }>> = {
  "docs/verbs.md": { name: "verbs", text: () => [verbTable(), ...commands.map(verbSection)].join("\n\n") },
  "docs/kubernetes.md": { name: "engines", text: engineTable },
  "docs/docker.md": { name: "docker", text: dockerTable },
  "docs/configuration.md": { name: "variables", text: variableTables },
};

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function verbTable(): string {
  const rows = commands.map(
    ({ name, usage, summary }) => `| [\`${name}\`](#${name}) | \`/gantry ${cell(usage)}\` | ${cell(summary)} |`,
  );
  return ["| verb | usage | |", "|---|---|---|", ...rows].join("\n");
}

function verbSection({ name, summary, usage, example, options }: Command): string {
  const flags = options.map(({ flag, summary: text }) => `| \`${cell(flag)}\` | ${cell(text)} |`);
  return [
    `## ${name}`,
    `${summary}.`,
    `\`\`\`text\n/gantry ${usage}\n/gantry ${example}\n\`\`\``,
    ...(flags.length === 0 ? [] : [["| option | |", "|---|---|", ...flags].join("\n")]),
  ].join("\n\n");
}

function variableTables(): string {
  return variables
    .map(({ title, variables: group }) => {
      const rows = Object.entries(group).map(
        ([name, { default: value, meaning }]) => `| \`${name}\` | ${cell(value)} | ${cell(meaning)} |`,
      );
      return [`## ${title}`, "", "| variable | default | meaning |", "|---|---|---|", ...rows].join("\n");
    })
    .join("\n\n");
}

/** From the tables that the engines are asked before anything is started. */
function engineTable(): string {
  const bare = {
    domains: { kind: "none" },
    ports: { kind: "cluster" },
    disks: undefined,
    hostPath: undefined,
  } as const;
  const full = {
    domains: { kind: "ingress", ingressClass: undefined },
    ports: { kind: "load-balancer" },
    disks: { storageClass: "fast", size: "10Gi" },
    hostPath: "/srv",
  } as const;
  const [without, having] = [bare, full].map((settings) => kubernetesLimits({ ...settings, jobs: true }));
  const rows = (Object.keys(features) as Feature[]).map((feature) => {
    // Their own keys, above.
    const { words, field } = features[feature];
    const lack = limitOf(without, feature);
    const isSettable = lack !== undefined && limitOf(having, feature) === undefined;
    const kubernetes = `${isSettable ? "needs a setting; without it: " : ""}${limitWords(lack)}`;
    return `| ${words} (\`${field}\`) | ${cell(limitWords(limitOf(processLimits, feature)))} | ${cell(kubernetes)} |`;
  });
  return ["| a request for | `process` | `kubernetes` |", "|---|---|---|", ...rows].join("\n");
}

function dockerTable(): string {
  const limits = dockerLimits({ isLocal: true, limitsMemory: true });
  const rows = (Object.keys(features) as Feature[]).map((feature) => {
    // Their own keys, above.
    const { words, field } = features[feature];
    return `| ${words} (\`${field}\`) | ${cell(limitWords(limitOf(limits, feature)))} |`;
  });
  return ["| a request for | `docker` |", "|---|---|", ...rows].join("\n");
}

function limitOf(limits: readonly Limit[] | undefined, feature: Feature): Limit | undefined {
  return limits?.find((limit) => limit.feature === feature);
}

const effects = { refused: "refused (400)", kept: "accepted, without effect", partly: "partly" } as const;

function limitWords(limit: Limit | undefined): string {
  return limit === undefined ? "yes" : `${effects[limit.effect]}: ${limit.why}`;
}

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

import { pino } from "pino";
import { createNetwork } from "../../../platform/http/network.ts";
import { type Config, readConfig } from "../config.ts";
import { ConfigError } from "../config-problems.ts";
import { withoutEmpty } from "../../../platform/settings.ts";
import { lowerCaseProxies, proxyOf, Environment } from "../settings.ts";
import { type Asker, SetupError, checkedAnswer } from "./asker.ts";
import { changedEnv, type EnvChanges, readEnvFile, variablesIn, writeEnvFile } from "./env-file.ts";
import type { SetupOptions } from "./options.ts";
import { slackSteps } from "./slack-steps.ts";
import { tryList, workloadSteps } from "./workload-steps.ts";

type Parts = {
  readonly asker: Asker;
  readonly options: SetupOptions;
  /** The variables of the process, without those of the file. */
  readonly env: EnvChanges;
  /** The path of the file to write. */
  readonly file: string;
};

/** Asks for everything that Gantry needs to start with a real Slack, checks it, and writes it. Throws a SetupError. */
export async function setup({ asker, options, env: process, file }: Parts): Promise<void> {
  const before = readEnvFile(file);
  const env = withoutEmpty(process);
  const inFile = withoutEmpty(variablesIn(before));
  const set = { ...inFile, ...env };
  const known = { asker, given: options.variables, set };
  asker.show.title(`Connect Gantry to Slack. The answers go into ${file}${before === "" ? "" : ", which exists"}.`);
  const network = createNetwork(proxySettings(set));
  try {
    const slack = await slackSteps({ ...known, options, network, log: pino({ level: "silent" }) });
    const areManyWorkspaces = slack["SLACK_CLIENT_ID"] !== undefined;
    const workloads = await checkedAnswer({
      asker,
      what: "the workloads",
      skipsChecks: options.skipsChecks || areManyWorkspaces,
      ask: (isAgain) =>
        workloadSteps({
          ...known,
          ...(isAgain && { given: {} }),
          workloads: isAgain ? undefined : options.workloads,
          areManyWorkspaces,
        }),
      check: async (answers) => [await tryList(configWith(set, { ...slack, ...answers }), network)],
    });
    const changes = { ...slack, ...workloads };
    const config = configWith(set, changes);
    writeEnvFile(file, changedEnv(before, changes));
    for (const [name, value] of Object.entries(changes)) {
      if (env[name] === undefined || env[name] === value) continue;
      asker.show.judged({
        state: "warning",
        says: `${name} is also set in the environment, which wins over the file`,
        todo: value === undefined ? "Unset it: these settings don't use it." : "Unset it there.",
      });
    }
    const removed = Object.keys(changes).filter((name) => changes[name] === undefined && inFile[name] !== undefined);
    const isImage = env["GANTRY_ENV_FILE"] !== undefined;
    asker.show.end(lastWords(config, { file, removed, isImage }));
  } finally {
    await network.close();
  }
}

function proxySettings(set: EnvChanges) {
  const parsed = Environment.pick({ HTTPS_PROXY: true, HTTP_PROXY: true, NO_PROXY: true }).safeParse({
    ...set,
    ...lowerCaseProxies(set),
  });
  const [issue] = parsed.error?.issues ?? [];
  if (parsed.data === undefined) throw new SetupError(`${String(issue?.path[0])} ${issue?.message}.`);
  return proxyOf(parsed.data);
}

/** As `npm start` will read it. */
function configWith(set: EnvChanges, changes: EnvChanges): Config {
  try {
    return readConfig({ ...set, ...changes });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map((problem) => `- ${problem}`).join("\n");
    throw new SetupError(`These settings don't go together. Nothing was written.\n${problems}`);
  }
}

type Done = {
  readonly file: string;
  /** Variables that were in the file and aren't used any more. */
  readonly removed: readonly string[];
  /** The image keeps the file in its volume, and has no npm. */
  readonly isImage: boolean;
};

/** What to do after the set-up. Pure. */
export function lastWords({ slack, settings, listen }: Config, { file, removed, isImage }: Done): string {
  const { command } = settings;
  const start = isImage
    ? "Start the bot's container with the same volume (docs/deployment.md)"
    : "Start Gantry: npm start";
  if (slack.kind !== "real") return `Wrote ${file}.`;
  const address =
    slack.transport.kind === "http"
      ? [`Forward https://…/slack/events to http://${listen.host}:${listen.port}/slack/events`]
      : [];
  const first =
    slack.tokens.kind === "oauth"
      ? [
          `Forward ${slack.tokens.url} to http://${listen.host}:${listen.port}, and open ${slack.tokens.url}/slack/install`,
          `In Slack, as an admin of the workspace: ${command} connect workspace`,
        ]
      : ["In Slack, in a channel: /invite @gantry"];
  const doctor = isImage ? "docker exec gantry gantry doctor" : "npm run doctor";
  const steps = [start, ...address, ...first, `Then: ${command} list`, `If something doesn't work: ${doctor}`];
  const wrote = `Wrote ${file}, readable only by you.${removed.length === 0 ? "" : ` Removed ${removed.join(", ")}.`}`;
  return [wrote, ...steps.map((step, at) => `  ${at + 1}. ${step}`)].join("\n");
}

import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { botSettings, lowerCaseProxies, proxyOf, Environment } from "../settings.ts";
import { engines } from "../../../service/engines.ts";
import { pino } from "pino";
import { createNetwork } from "../../../platform/http/network.ts";
import { type Config, readConfig } from "../config.ts";
import { ConfigError } from "../config-problems.ts";
import { withoutEmpty } from "../../../platform/settings.ts";
import { type Asker, SetupError, checkedAnswer } from "./asker.ts";
import { changedEnv, cutVariables, type EnvChanges, readEnvFile, variablesIn, writeEnvFile } from "./env-file.ts";
import { slackSteps } from "./slack-steps.ts";
import { tryList, workloadSteps } from "./workload-steps.ts";

const engineOptions = engines.flatMap(({ name: engine, setup }) =>
  Object.entries(setup?.options ?? {}).map(([flag, option]) => ({ engine, flag, ...option })),
);
const offered = engines.filter(({ setup }) => setup !== undefined).map(({ name }) => name);

/** The options of the command line that stand for variables. */
const variableOptions = Object.entries(botSettings).flatMap(([name, { setup }]) =>
  setup === undefined ? [] : [{ name, ...setup }],
);
const variableOf: Readonly<Record<string, string>> = Object.fromEntries([
  ...variableOptions.map(({ option, name }) => [option, name] as const),
  ...engineOptions.map(({ flag, variable }) => [flag, variable] as const),
]);

/** The lines of the help for some of the variables. */
function helpOf(isOne: (name: string) => boolean): string {
  return variableOptions
    .filter(({ name }) => isOne(name))
    .map(({ option, value, name, help = "" }) => `  ${`--${option} ${value}`.padEnd(30)} ${name}${help}`)
    .join("\n");
}

const isOfWorkloads = (name: string): boolean => name.startsWith("WORKLOAD_");

export type SetupOptions = ReturnType<typeof readSetupOptions>;

/** What follows the usage line. */
export const setupHelp = `Connects Gantry to Slack and to your containers: asks, checks each answer, and writes .env.
Every answer can be an option or the variable with that name; what .env holds is the default.

  --transport socket|http        socket: Gantry connects to Slack; http: Slack calls a public https address
  --url URL                      with http: that address, for the app's manifest
  --workspaces one|many          many: workspaces install the app at GANTRY_URL
${helpOf((name) => !isOfWorkloads(name))}

  --workloads ${["api", ...offered, "demo"].join("|")}
${helpOf(isOfWorkloads)}
${engineOptions
  .map(({ engine, flag, variable, value }) => `  ${`--${flag} ${value}`.padEnd(30)} ${variable}, with ${engine}\n`)
  .join("")}
  --file PATH     another file than .env (GANTRY_ENV_FILE)
  --yes           ask nothing; without a terminal nothing is asked either
  --skip-checks   write without asking Slack or the workload API
  --help          show this

Other people of this machine can read options in its list of processes: prefer variables for secrets.
Exits with 0 when it has written the file, 1 when a check failed, 2 when the options are wrong, 130 after Ctrl-C.
`;

const text = { type: "string" } as const;
const yesNo = { type: "boolean", default: false } as const;

/** Throws parseArgs' errors. */
export function readSetupOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...Object.fromEntries(Object.keys(variableOf).map((flag) => [flag, text])),
      transport: text,
      workspaces: text,
      workloads: text,
      url: text,
      file: text,
      yes: yesNo,
      "skip-checks": yesNo,
      help: { ...yesNo, short: "h" },
    },
  });
  const given: Readonly<Record<string, unknown>> = values;
  const variables = Object.entries(variableOf).flatMap(([flag, name]): [string, string][] => {
    const value = given[flag];
    return typeof value === "string" && value !== "" ? [[name, value]] : [];
  });
  return {
    /** By the name of their variable. */
    variables: Object.fromEntries(variables) as Readonly<Record<string, string | undefined>>, // not each is given
    transport: values.transport,
    workspaces: values.workspaces,
    workloads: values.workloads,
    url: values.url,
    file: values.file,
    isUnattended: values.yes,
    skipsChecks: values["skip-checks"],
    wantsHelp: values.help,
  };
}

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
  const cut = cutVariables(before);
  const inFile = withoutEmpty({ ...variablesIn(before), ...Object.fromEntries(cut.map((name) => [name, undefined])) });
  const set = { ...inFile, ...env };
  const known = { asker, given: options.variables, set };
  asker.show.title(`Connect Gantry to Slack. The answers go into ${file}${before === "" ? "" : ", which exists"}.`);
  for (const name of cut) {
    const todo = "What follows counts as a comment. Enter the whole value again: it gets quotes.";
    asker.show.judged({ state: "warning", says: `${name} has a # in ${file}`, todo });
  }
  const network = createNetwork(proxySettings(set));
  const isImage = env["GANTRY_ENV_FILE"] !== undefined;
  const manifestFile = isImage ? undefined : join(dirname(file), "slack-app.yml");
  try {
    const slack = await slackSteps({ ...known, options, manifestFile, network, log: pino({ level: "silent" }) });
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
  const steps = [
    start,
    ...address,
    ...first,
    `Type ${command} list: Gantry answers with your workloads, for your eyes only`,
  ];
  const later = [`If it doesn't, this says why: ${doctor}`, `To remove Gantry: ${REMOVE}`];
  const wrote = `Wrote ${file}, readable only by you.${removed.length === 0 ? "" : ` Removed ${removed.join(", ")}.`}`;
  return [wrote, ...steps.map((step, at) => `  ${at + 1}. ${step}`), ...later].join("\n");
}

const REMOVE = "stop it, and delete the app on its page, under Basic Information (docs/slack.md#remove-it)";

import { parseArgs } from "node:util";
import { engines } from "../../../service/engines.ts";

const engineOptions = engines.flatMap(({ name: engine, setup }) =>
  Object.entries(setup?.options ?? {}).map(([flag, option]) => ({ engine, flag, ...option })),
);
const offered = engines.filter(({ setup }) => setup !== undefined).map(({ name }) => name);

/** The options of the command line that stand for variables. */
const variableOf: Readonly<Record<string, string>> = {
  "bot-token": "SLACK_BOT_TOKEN",
  "app-token": "SLACK_APP_TOKEN",
  "signing-secret": "SLACK_SIGNING_SECRET",
  "client-id": "SLACK_CLIENT_ID",
  "client-secret": "SLACK_CLIENT_SECRET",
  "install-url": "GANTRY_URL",
  "slack-api-url": "SLACK_API_URL",
  command: "GANTRY_COMMAND",
  "workload-api-url": "WORKLOAD_API_URL",
  "workload-api-username": "WORKLOAD_API_USERNAME",
  "workload-api-token": "WORKLOAD_API_TOKEN",
  region: "WORKLOAD_REGION",
  ...Object.fromEntries(engineOptions.map(({ flag, variable }) => [flag, variable])),
};

export type SetupOptions = {
  /** By the name of their variable. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly transport: string | undefined;
  readonly workspaces: string | undefined;
  readonly workloads: string | undefined;
  readonly url: string | undefined;
  readonly file: string | undefined;
  readonly isUnattended: boolean;
  readonly skipsChecks: boolean;
  readonly wantsHelp: boolean;
};

/** What follows the usage line. */
export const setupHelp = `Connects Gantry to Slack and to your containers: asks, checks each answer, and writes .env.
Every answer can be an option or the variable with that name; what .env holds is the default.

  --transport socket|http        socket: Gantry connects to Slack; http: Slack calls a public https address
  --url URL                      with http: that address, for the app's manifest
  --workspaces one|many          many: workspaces install the app at GANTRY_URL
  --bot-token xoxb-…             SLACK_BOT_TOKEN
  --app-token xapp-…             SLACK_APP_TOKEN, with socket
  --signing-secret SECRET        SLACK_SIGNING_SECRET, with http
  --client-id ID                 SLACK_CLIENT_ID, with many
  --client-secret SECRET         SLACK_CLIENT_SECRET, with many
  --install-url URL              GANTRY_URL, with many
  --slack-api-url URL            SLACK_API_URL: GovSlack, https://slack-gov.com/api/
  --command /NAME                GANTRY_COMMAND: another slash command

  --workloads ${["api", ...offered, "demo"].join("|")}
  --workload-api-url URL         WORKLOAD_API_URL, with api
  --workload-api-username NAME   WORKLOAD_API_USERNAME
  --workload-api-token TOKEN     WORKLOAD_API_TOKEN
  --region NAME                  WORKLOAD_REGION
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
export function readSetupOptions(args: readonly string[]): SetupOptions {
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
    variables: Object.fromEntries(variables),
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

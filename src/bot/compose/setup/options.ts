import { parseArgs } from "node:util";
import { botSettings } from "../settings.ts";
import { engines } from "../../../service/engines.ts";

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

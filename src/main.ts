#!/usr/bin/env node
import { programs, type ProgramName } from "./bin/programs.ts";

// `gantry`, the one entry: `gantry doctor` runs what `src/bin/doctor.ts` is. Without a name it starts the bot.

const storedData = () => import("./bin/stored-data.ts");

const load: { readonly [Name in ProgramName]: () => Promise<unknown> } = {
  start: async () => (await import("./bin/start.ts")).start(),
  bot: async () => (await import("./bin/start.ts")).start({ isBotAlone: true }),
  service: () => import("./bin/service.ts"),
  setup: () => import("./bin/setup.ts"),
  doctor: () => import("./bin/doctor.ts"),
  audit: () => import("./bin/audit.ts"),
  backup: async () => (await storedData()).backup(),
  restore: async () => (await storedData()).restore(),
  data: async () => (await storedData()).data(),
  keys: async () => (await storedData()).keys(),
  policy: () => import("./bin/policy.ts"),
  manifest: () => import("./bin/manifest.ts"),
  say: () => import("./bin/say.ts"),
};

function isProgram(name: string): name is ProgramName {
  return Object.hasOwn(programs, name);
}

function help(): string {
  const names = Object.entries(programs).map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`);
  return `Usage: gantry [COMMAND] [options]

${names.join("\n")}

  --help, -h     show this, or the options of a command: gantry setup --help
  --version      print the version

Without a command, gantry starts. In a clone, npm start and npm run COMMAND do the same.
`;
}

async function refuse(sentence: string): Promise<void> {
  process.stderr.write(`${sentence}\n\n${help()}`);
  process.exitCode = 2;
}

async function unknown(name: string): Promise<void> {
  const { closest, distance } = await import("fastest-levenshtein");
  const near = closest(name, Object.keys(programs));
  const hint = distance(name, near) <= 2 ? ` Did you mean ${near}?` : "";
  await refuse(`gantry has no command “${name}”.${hint} Nothing was started.`);
}

async function run([first, ...rest]: readonly string[]): Promise<void> {
  const isNamed = first !== undefined && !first.startsWith("-");
  const name = isNamed ? first : "start";
  const options = isNamed || first === undefined ? rest : [first, ...rest];
  const [option, ...others] = options;
  if (option === "--version" && others.length === 0) {
    const { version } = await import("./platform/version.ts");
    process.stdout.write(`${version}\n`);
    return undefined;
  }
  if (!isNamed && (option === "--help" || option === "-h")) return void process.stdout.write(help());
  if (!isProgram(name)) return unknown(name);
  const { summary, hasOptions } = programs[name];
  if (!hasOptions && (option === "--help" || option === "-h")) {
    const settings = "It takes no options; variables set it up: docs/configuration.md.";
    return void process.stdout.write(`Usage: gantry ${name}\n${summary}. ${settings}\n`);
  }
  if (!hasOptions && option !== undefined)
    return refuse(`gantry ${name} takes no options. Remove ${option}. Nothing was started.`);
  process.argv.splice(2, process.argv.length, ...options);
  try {
    await load[name]();
  } catch (error) {
    const { DataError } = await import("./bot/errors.ts");
    if (!(error instanceof DataError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

// Files and folders are for the user who runs Gantry, also in a folder that others may read.
process.umask(0o077);
await run(process.argv.slice(2));

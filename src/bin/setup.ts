// Connects Gantry to a real Slack and to containers.
import { resolve } from "node:path";
import { Cancelled, SetupError, unattended, promptsIn } from "../bot/compose/setup/asker.ts";
import { calledAs } from "./programs.ts";
import { setup, readSetupOptions, setupHelp, type SetupOptions } from "../bot/compose/setup/setup.ts";

const usage = `Usage: ${calledAs("setup")} [options]\n${setupHelp}`;

async function run(args: readonly string[]): Promise<number> {
  const options = optionsIn(args);
  if (options === undefined) return 2;
  if (options.wantsHelp) {
    process.stdout.write(usage);
    return 0;
  }
  const { stdin: input, stdout: output, env } = process;
  const isTerminal = input.isTTY && output.isTTY && !options.isUnattended;
  const asker = isTerminal ? promptsIn({ input, output }) : unattended((line) => void output.write(`${line}\n`));
  try {
    await setup({ asker, options, env, file: resolve(options.file ?? (env["GANTRY_ENV_FILE"] || ".env")) });
    return 0;
  } catch (error) {
    if (error instanceof Cancelled) return 130;
    // A bug keeps its stack.
    process.stderr.write(`${error instanceof SetupError ? error.message : describe(error)}\n`);
    return 1;
  }
}

function optionsIn(args: readonly string[]): SetupOptions | undefined {
  try {
    return readSetupOptions(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return undefined;
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message.startsWith("Couldn't") ? error.message : (error.stack ?? error.message);
}

process.exitCode = await run(process.argv.slice(2));

import { ConfigError } from "../config-problems.ts";
import { loadEnvFile } from "../entry.ts";
import { storeErrorOf } from "../../store/database/session.ts";
import { DataError, operatorSentence } from "../../errors.ts";

export class DataUsageError extends Error {
  override readonly name = "DataUsageError";
}

/**
 * Runs a command about stored data with the settings of `npm start`, and prints what it says. Exits with 0, with 1 when it
 * couldn't do it, or 2 when the options are wrong.
 */
export async function runDataCommand(
  { usage, envFile }: { readonly usage: string; readonly envFile: string | undefined },
  work: () => Promise<string> | string,
): Promise<void> {
  if (process.argv.slice(2).some((arg) => arg === "--help" || arg === "-h")) return void process.stdout.write(usage);
  try {
    loadEnvFile(envFile);
    process.stdout.write(`${await work()}\n`);
    return undefined;
  } catch (error) {
    process.exitCode = 1;
    const isUsage = error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
    if (isUsage || error instanceof DataUsageError) {
      process.exitCode = 2;
      return void process.stderr.write(`${error.message}\n\n${usage}`);
    }
    if (error instanceof ConfigError) {
      return void process.stderr.write(`Correct these settings:\n${error.problems.join("\n")}\n`);
    }
    const known = storeErrorOf(error);
    if (known !== undefined) return void process.stderr.write(`${operatorSentence(known)}\n`);
    return void process.stderr.write(
      `${error instanceof DataError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
  }
}

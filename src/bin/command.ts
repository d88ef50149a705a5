import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { ConfigError } from "../bot/compose/config-problems.ts";
import { loadEnvFile } from "../bot/compose/entry.ts";
import { DataError, operatorSentence } from "../bot/errors.ts";
import { storeErrorOf } from "../bot/store/database/session.ts";

/** The arguments of a command are wrong. Its usage is shown below the sentence. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What it prints, or that with another exit code than 0. */
type Said = string | { readonly says: string; readonly code: number };

/**
 * Runs a command with the settings of `npm start`, also from .env, and prints what it says. Exits with `failed` when it
 * couldn't do it, and with 2 when its words are wrong.
 */
export async function runCommand(
  { usage, failed = 1 }: { readonly usage: string; readonly failed?: number },
  work: () => Promise<Said> | Said,
): Promise<void> {
  if (process.argv.slice(2).some((arg) => arg === "--help" || arg === "-h")) return void process.stdout.write(usage);
  try {
    loadEnvFile(process.env);
    const said = await work();
    const { says, code } = typeof said === "string" ? { says: said, code: 0 } : said;
    process.exitCode = code;
    if (says !== "") process.stdout.write(`${says}\n`);
  } catch (error) {
    const isUsage = error instanceof UsageError || isOfParseArgs(error);
    process.exitCode = isUsage ? 2 : failed;
    process.stderr.write(isUsage ? `${usageTrouble(error)}\n\n${usage}` : `${wordsOf(error)}\n`);
  }
  return undefined;
}

/** The words and options that were typed. Throws parseArgs' errors, which `runCommand` shows with the usage. */
export function typed<const Options extends ParseArgsOptionsConfig>(options: Options, args = process.argv.slice(2)) {
  return parseArgs({ args, allowPositionals: true, options });
}

function isOfParseArgs(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}

/** Node adds advice on arguments that begin with a dash. */
function usageTrouble({ message }: Error): string {
  return message.replace(/\. To specify a positional.*$/su, ".");
}

/** A bug keeps its stack. */
function wordsOf(error: unknown): string {
  if (error instanceof ConfigError) return `Correct these settings:\n${error.problems.join("\n")}`;
  const known = storeErrorOf(error);
  if (known !== undefined) return operatorSentence(known);
  if (error instanceof DataError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

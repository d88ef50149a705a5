// Tests a policy file from a shell.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  defaultPolicy,
  defaultPolicyText,
  policyWarnings,
  PolicyError,
  readPolicy,
} from "../bot/policy/read-policy.ts";
import {
  explain,
  explanationLines,
  QuestionError,
  questionFromOptions,
  questionOptions,
} from "../bot/policy/explain.ts";
import { loadEnvFile, readTrouble } from "../bot/compose/entry.ts";
import { readPolicies } from "../bot/compose/operator-files.ts";
import { readWatches } from "../bot/commands/verbs/watch/watches-file.ts";
import type { Policy } from "../bot/policy/policy.ts";
import { calledAs } from "./programs.ts";

const usage = `Usage: ${calledAs("policy")} check [FILE]
       ${calledAs("policy")} explain [FILE] --op OPERATION [--does routine|disruptive|destructive]
           [--as U0123ABCD] [--standing member|guest|outsider|bot|deactivated] [--groups S0123ABCD,…|unknown]
           [--in C0123ABCD|dm] [--name web] [--kind service|job] [--region beijing1] [--account NAME] [--break-glass]
           [--image nginx:1.27] [--instances 3] [--instances-now 2] [--memory 512Mi]
       ${calledAs("policy")} print
       ${calledAs("policy")} watches [FILE]
FILE      default: GANTRY_POLICY, also from .env, else the built-in policy
check     checks the file, or all files of a folder, and warns about rules that miss jobs; exits with 0, or 2 if the file has problems
explain   shows which rule decides; exits with 0 if allowed or approvable, 1 if refused, 2 if the input is invalid
print     prints the built-in policy
watches   checks the file of watches, by default GANTRY_WATCHES; exits with 0, or 2 if it has problems
`;

function typed(args: readonly string[]) {
  try {
    const options = { ...questionOptions, help: { type: "boolean", short: "h" } } as const;
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    throw new QuestionError(error instanceof Error ? error.message : String(error));
  }
}

/** A file that can't be read. It is reported without the usage. */
class FileError extends Error {
  override readonly name = "FileError";
}

function policyIn(file: string | undefined): Policy {
  if (file === undefined) return defaultPolicy;
  if (isFolder(file)) {
    throw new FileError(`${file} is a folder. Name the file of one workspace, such as ${join(file, "default.yaml")}.`);
  }
  return readPolicy(textOf(file), file);
}

/** With several workspaces, GANTRY_POLICY may name a folder that has one file per workspace. */
async function policiesIn(path: string | undefined): Promise<readonly Policy[]> {
  return path !== undefined && isFolder(path) ? (await readPolicies(path)).all : [policyIn(path)];
}

/** False for a path that can't be looked up: reading it as a file says why. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new FileError(`Couldn't read ${file}: ${readTrouble(error)}. Correct the path, or make the file readable.`);
  }
}

async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = typed(args);
  if (values.help === true) {
    process.stdout.write(usage);
    return 0;
  }
  loadEnvFile(process.env);
  const [what, file = process.env["GANTRY_POLICY"] || undefined, extra] = positionals;
  if (extra !== undefined) throw new QuestionError(`Unexpected argument “${extra}”.`);
  switch (what) {
    case "check": {
      const jobsRegion = process.env["WORKLOAD_JOBS_REGION"] || "us";
      for (const policy of await policiesIn(file)) {
        const { source, rules } = policy;
        const warnings = policyWarnings(policy, { jobsRegion });
        print([
          `${source} is valid: ${rules.length} rule${rules.length === 1 ? "" : "s"}.`,
          ...warnings.map(({ line, sentence }) => `Warning: ${source}:${line}: ${sentence}`),
        ]);
      }
      return 0;
    }
    case "explain": {
      const explanation = explain(policyIn(file), questionFromOptions(values));
      print(explanationLines(explanation));
      return explanation.verdict.kind === "refuse" ? 1 : 0;
    }
    case "watches": {
      const watchesFile = positionals[1] ?? (process.env["GANTRY_WATCHES"] || undefined);
      if (watchesFile === undefined) throw new QuestionError("Name the file of watches, or set GANTRY_WATCHES.");
      const count = readWatches(textOf(watchesFile), watchesFile).length;
      print([`${watchesFile} is valid: ${count} watch${count === 1 ? "" : "es"}.`]);
      return 0;
    }
    case "print":
      process.stdout.write(defaultPolicyText);
      return 0;
    default:
      throw new QuestionError(
        what === undefined
          ? "Use check, explain, print or watches."
          : `Unknown command “${what}”. Use check, explain, print or watches.`,
      );
  }
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const isKnown = [QuestionError, FileError, PolicyError].some((kind) => error instanceof kind);
  if (!(error instanceof Error) || !isKnown) throw error;
  process.stderr.write(`${error.message}\n${error instanceof QuestionError ? usage : ""}`);
  process.exitCode = 2;
}

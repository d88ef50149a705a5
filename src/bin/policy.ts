// Tests a policy file from a shell.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { QuestionError, questionFromOptions } from "../bot/policy/question-from-options.ts";
import {
  defaultPolicy,
  defaultPolicyText,
  policyWarnings,
  PolicyError,
  readPolicy,
} from "../bot/policy/read-policy.ts";
import { explain, explanationLines } from "../bot/policy/explain.ts";
import { readWatches } from "../bot/commands/verbs/watch/watches-file.ts";
import type { Policy } from "../bot/policy/policy.ts";
import { calledAs } from "./programs.ts";

const usage = `Usage: ${calledAs("policy")} check [FILE]
       ${calledAs("policy")} explain [FILE] --op OPERATION [--does routine|disruptive|destructive]
           [--as U0123ABCD] [--standing member|guest|outsider|bot|deactivated] [--groups S0123ABCD,…|unknown]
           [--in C0123ABCD|dm] [--name web] [--kind service|job] [--region beijing1] [--account NAME] [--break-glass]
           [--image nginx:1.27] [--instances 3] [--memory 512Mi]
       ${calledAs("policy")} print
       ${calledAs("policy")} watches [FILE]
FILE      default: GANTRY_POLICY, else the built-in policy
check     checks the file and warns about rules that miss jobs; exits with 0, or 2 if the file has problems
explain   shows which rule decides; exits with 0 if allowed or approvable, 1 if refused, 2 if the input is invalid
print     prints the built-in policy
watches   checks the file of watches, by default GANTRY_WATCHES; exits with 0, or 2 if it has problems
`;

const text = { type: "string" } as const;

function typed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        as: text,
        standing: text,
        in: text,
        groups: text,
        op: text,
        does: text,
        name: text,
        kind: text,
        region: text,
        account: text,
        image: text,
        instances: text,
        memory: text,
        "break-glass": { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new QuestionError(error instanceof Error ? error.message : String(error));
  }
}

function policyIn(file: string | undefined): Policy {
  return file === undefined ? defaultPolicy : readPolicy(textOf(file), file);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new QuestionError(`Couldn't read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function run(args: readonly string[]): number {
  const { values, positionals } = typed(args);
  if (values.help === true) {
    process.stdout.write(usage);
    return 0;
  }
  const [what, file = process.env["GANTRY_POLICY"] || undefined, extra] = positionals;
  if (extra !== undefined) throw new QuestionError(`Unexpected argument “${extra}”.`);
  switch (what) {
    case "check": {
      const policy = policyIn(file);
      const { source, rules } = policy;
      const jobsRegion = process.env["WORKLOAD_JOBS_REGION"] || "us";
      const warnings = policyWarnings(policy, { jobsRegion });
      print([
        `${source} is valid: ${rules.length} rule${rules.length === 1 ? "" : "s"}.`,
        ...warnings.map(({ line, sentence }) => `Warning: ${source}:${line}: ${sentence}`),
      ]);
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
  process.exitCode = run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof QuestionError) && !(error instanceof PolicyError)) throw error;
  process.stderr.write(`${error.message}\n${error instanceof QuestionError ? usage : ""}`);
  process.exitCode = 2;
}

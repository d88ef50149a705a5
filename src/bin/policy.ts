// Tests a policy file from a shell: `npm run policy -- check|explain|print`.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { QuestionError, questionFromOptions } from "../policy/question-from-options.ts";
import { defaultPolicy, defaultPolicyText } from "../policy/default-policy.ts";
import { explain, explanationLines } from "../policy/explain.ts";
import { PolicyError, readPolicy } from "../policy/read-policy.ts";
import type { Policy } from "../policy/policy.ts";

const usage = `Usage: npm run policy -- check [FILE]
       npm run policy -- explain [FILE] --op OPERATION [--does routine|disruptive|destructive]
           [--as U0123ABCD] [--standing member|guest|outsider|bot|deactivated] [--groups S0123ABCD,…|unknown]
           [--in C0123ABCD|dm] [--name web] [--kind service|job] [--region beijing1] [--account NAME] [--break-glass]
       npm run policy -- print
FILE: GANTRY_POLICY without it, else the built-in policy, which print shows.
check ends with 0, or with 2 for a file that cannot be used. explain ends with 0 when it may be done, at once or after
an approval, with 1 when it is refused, and with 2 when the file or the question cannot be used.
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
        "break-glass": { type: "boolean" },
      },
    });
  } catch (error) {
    throw new QuestionError(error instanceof Error ? error.message : String(error));
  }
}

function policyIn(file: string | undefined): Policy {
  if (file === undefined) return defaultPolicy;
  let content: string;
  try {
    content = readFileSync(file, "utf8");
  } catch (error) {
    throw new QuestionError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return readPolicy(content, file);
}

function run(args: readonly string[]): number {
  const { values, positionals } = typed(args);
  const [what, file = process.env["GANTRY_POLICY"] || undefined, extra] = positionals;
  if (extra !== undefined) throw new QuestionError(`“${extra}” is one word too many.`);
  switch (what) {
    case "check": {
      const { source, rules } = policyIn(file);
      print([`${source} can be used: ${rules.length} rule${rules.length === 1 ? "" : "s"}.`]);
      return 0;
    }
    case "explain": {
      const explanation = explain(policyIn(file), questionFromOptions(values));
      print(explanationLines(explanation));
      return explanation.verdict.kind === "refuse" ? 1 : 0;
    }
    case "print":
      process.stdout.write(defaultPolicyText);
      return 0;
    default:
      throw new QuestionError(what === undefined ? "Say what to do." : `“${what}” is nothing that this can do.`);
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

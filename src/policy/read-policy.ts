import { type Document, LineCounter, parseDocument, type YAMLError } from "yaml";
import type { z } from "zod";
import { didYouMean } from "./near-names.ts";
import { PolicyError, type PolicyProblem } from "./policy-error.ts";
import { isRuleName, knownKeys, PolicyFile, type RuleInFile } from "./policy-file.ts";
import type { Policy } from "./policy.ts";
import { ruleOf } from "./rule-of.ts";
import { type Path, type YamlLines, yamlLines } from "./yaml-lines.ts";

/** Reads a policy from YAML. `source` is the file as people know it. Throws a `PolicyError` that names all problems. */
export function readPolicy(text: string, source: string): Policy {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false });
  if (document.errors.length > 0) {
    const problems = document.errors.map((error) => ({
      line: counter.linePos(error.pos[0]).line,
      sentence: yamlSentence(error),
    }));
    throw new PolicyError(source, problems);
  }
  const lines = yamlLines(document, counter);
  const parsed = PolicyFile.safeParse(plainData(document, source));
  if (!parsed.success) throw new PolicyError(source, problemsOf(parsed.error, document, lines));
  const { rules } = parsed.data;
  const problems = sameNames(rules, lines);
  if (problems.length > 0) throw new PolicyError(source, problems);
  return { source, rules: rules.map((rule, at) => ruleOf(rule, lines.ofValue(["rules", at]))) };
}

/** Aliases that multiply without end make the library throw. */
function plainData(document: Document, source: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PolicyError(source, [{ line: 1, sentence: `This is not YAML that can be read: ${why}.` }]);
  }
}

function yamlSentence({ code, message }: YAMLError): string {
  if (code === "MULTIPLE_DOCS") return "A second document begins here (---): keep all rules in one.";
  const isName = code === "BAD_SCALAR_START" || message.startsWith("Comments must be separated");
  const hint = isName ? " Names such as @oncall and #ops are not taken, only ids such as S0123ABCD and C0123ABCD." : "";
  return `This is not YAML: ${message.replace(/\.$/u, "")}.${hint}`;
}

function problemsOf({ issues }: z.ZodError, document: Document, lines: YamlLines): PolicyProblem[] {
  const unknown = new Set(issues.filter(({ code }) => code === "unrecognized_keys").map(({ path }) => path.join("\n")));
  const problems = issues.flatMap((issue): PolicyProblem[] => {
    // An unknown word after then: is one mistake, not also that no known one stands there.
    if (issue.code === "custom" && unknown.has(issue.path.join("\n"))) return [];
    const place = placeOf(issue.path, document);
    if (issue.code !== "unrecognized_keys") {
      return [{ line: lines.ofValue(issue.path), sentence: place + issue.message }];
    }
    const known = knownKeys(issue.path);
    const list = known.length === 0 ? " Nothing can be set here." : ` Known here: ${known.join(", ")}.`;
    return issue.keys.map((key) => ({
      line: lines.ofKey([...issue.path, key]),
      sentence: `${place}“${key}” is not known here.${didYouMean(key, known)}${list}`,
    }));
  });
  return problems.sort((a, b) => a.line - b.line);
}

/** `rule “night shift”, then.approve: ` */
function placeOf([, at, ...inside]: Path, document: Document): string {
  if (at === undefined) return "";
  const name = document.getIn(["rules", at, "name"]);
  const rule = isRuleName(name) ? `rule “${name}”` : `rule ${Number(at) + 1}`;
  const key = inside.filter((part) => typeof part === "string").join(".");
  return `${rule}${key === "" ? "" : `, ${key}`}: `;
}

function sameNames(rules: readonly RuleInFile[], lines: YamlLines): PolicyProblem[] {
  const first = new Map<string, number>();
  return rules.flatMap(({ name }, at): PolicyProblem[] => {
    const line = lines.ofValue(["rules", at, "name"]);
    const before = first.get(name);
    if (before === undefined) {
      first.set(name, line);
      return [];
    }
    const sentence = `rule “${name}”: line ${before} has a rule of the same name, and cards and history tell rules by their names: choose another one.`;
    return [{ line, sentence }];
  });
}

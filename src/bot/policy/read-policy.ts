import { type Document, LineCounter, parseDocument, type YAMLError, isMap, isNode, isScalar, isSeq } from "yaml";
import { z } from "zod";
import { didYouMean } from "./near-names.ts";
import { isGroupId, isUserId } from "./policy-words.ts";
import { isRuleName, knownKeys, PolicyFile, type RuleInFile } from "./policy-file.ts";
import type { Policy, Rule, RuleEnd, RuleActions } from "./policy.ts";
import { matchesPattern } from "./patterns.ts";
import { isActionId, operationFacts } from "./operation-facts.ts";

/** Reads a policy from YAML. `source` names the file for people. Throws a `PolicyError` that lists all problems. */
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
  const lost = lostTexts(document, counter, text);
  const data = plainData(document, source);
  const parsed = PolicyFile.safeParse(data);
  const problems = [
    ...lost,
    ...(parsed.success ? [] : problemsOf(parsed.error, document, lines)),
    ...sameNames(data, lines),
  ].sort((a, b) => a.line - b.line);
  if (!parsed.success || problems.length > 0) throw new PolicyError(source, problems);
  const { rules } = parsed.data;
  return { source, rules: rules.map((rule, at) => ruleOf(rule, lines.ofValue(["rules", at]))) };
}

/**
 * YAML reads ` #` in an unquoted text as the beginning of a comment: “Ask in #bank” would be “Ask in”. Only the keys with
 * free text can lose something; beside an ID, a comment is welcome.
 */
function lostTexts(document: Document, counter: LineCounter, text: string): PolicyProblem[] {
  const rules = document.get("rules");
  if (!isSeq(rules)) return [];
  return rules.items.flatMap((_, at) =>
    ["name", "say"].flatMap((key): PolicyProblem[] => {
      const node = document.getIn(["rules", at, key], true);
      if (!isScalar(node) || node.type !== "PLAIN" || !node.range) return [];
      const [start, end] = node.range;
      const [, lost] = /^[ \t]+(#[^\r\n]*)/u.exec(text.slice(end)) ?? [];
      if (lost === undefined) return [];
      const whole = JSON.stringify(`${String(node.value)} ${lost.trimEnd()}`);
      const sentence =
        `${placeOf(["rules", at, key], document)}“${lost.trimEnd()}” would be lost, because YAML reads it as a comment. ` +
        `Put the text in quotes: ${key}: ${whole}`;
      return [{ line: counter.linePos(start).line, sentence }];
    }),
  );
}

/** The library throws on aliases that expand without end. */
function plainData(document: Document, source: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PolicyError(source, [{ line: 1, sentence: `Invalid YAML: ${why}.` }]);
  }
}

function yamlSentence({ code, message }: YAMLError): string {
  if (code === "MULTIPLE_DOCS") return "A second document starts here (---). Keep all rules in one.";
  const isName = code === "BAD_SCALAR_START" || message.startsWith("Comments must be separated");
  const hint = isName ? " Use IDs such as S0123ABCD and C0123ABCD instead of names such as @oncall and #ops." : "";
  return `Invalid YAML: ${message.replace(/\.$/u, "")}.${hint}`;
}

function problemsOf({ issues }: z.ZodError, document: Document, lines: YamlLines): PolicyProblem[] {
  const unknown = new Set(issues.filter(({ code }) => code === "unrecognized_keys").map(({ path }) => path.join("\n")));
  const problems = issues.flatMap((issue): PolicyProblem[] => {
    // An unknown word after then: is one mistake; don't also report that none of the known ones is there.
    if (issue.code === "custom" && unknown.has(issue.path.join("\n"))) return [];
    const place = placeOf(issue.path, document);
    if (issue.code !== "unrecognized_keys") {
      return [{ line: lines.ofValue(issue.path), sentence: place + issue.message }];
    }
    const known = knownKeys(issue.path);
    const list = known.length === 0 ? " This takes no settings." : ` Valid keys: ${known.join(", ")}.`;
    return issue.keys.map((key) => ({
      line: lines.ofKey([...issue.path, key]),
      sentence: `${place}unknown key “${key}”.${didYouMean(key, known)}${list}`,
    }));
  });
  return problems;
}

/** `rule “night shift”, then.approve: ` */
function placeOf([, at, ...inside]: Path, document: Document): string {
  if (at === undefined) return "";
  const name = document.getIn(["rules", at, "name"]);
  const rule = isRuleName(name) ? `rule “${name}”` : `rule ${Number(at) + 1}`;
  const key = inside.filter((part) => typeof part === "string").join(".");
  return `${rule}${key === "" ? "" : `, ${key}`}: `;
}

/** The names alone, of rules that may have any other problem. */
const RuleNames = z.object({ rules: z.array(z.object({ name: z.unknown() }).catch({ name: undefined })) });

/** Checks rules with other problems, too, so that one run reports everything. */
function sameNames(data: unknown, lines: YamlLines): PolicyProblem[] {
  const { rules } = RuleNames.catch({ rules: [] }).parse(data);
  const first = new Map<string, number>();
  return rules.flatMap(({ name }, at): PolicyProblem[] => {
    if (!isRuleName(name)) return [];
    const line = lines.ofValue(["rules", at, "name"]);
    const before = first.get(name);
    if (before === undefined) {
      first.set(name, line);
      return [];
    }
    const sentence = `rule “${name}”: line ${before} has a rule with the same name. Names must be unique, because cards and history show them.`;
    return [{ line, sentence }];
  });
}

export function ruleOf(rule: RuleInFile, line: number): Rule {
  const { name, who, where, does, workloads, images, limits } = rule;
  return {
    name,
    line,
    who,
    where,
    does,
    kinds: workloads?.kind,
    names: workloads?.name,
    regions: workloads?.region,
    accounts: workloads?.account,
    images,
    limits: limits && { instances: limits.instances, memoryMiB: limits.memory, growth: limits.growth },
    end: endOf(rule),
  };
}

function endOf({ then, say }: RuleInFile): RuleEnd {
  if (then.allow !== undefined) return { kind: "allow" };
  if (then["break-glass"] !== undefined) return { kind: "break-glass" };
  if (then.approve === undefined) return { kind: "refuse", say };
  const { votes, from, reason, expires } = then.approve;
  const groups = [...new Set(from.filter(isGroupId))];
  return {
    kind: "approve",
    terms: {
      votes,
      from: {
        users: [...new Set(from.filter(isUserId))],
        groups,
        channelMembers: from.includes("channel-members"),
      },
      selfApproval: then.approve["self-approval"],
      reasonRequired: reason === "required",
      expiresMs: expires,
      cardIn: then.approve["post-in"],
      mention: then.approve.mention,
    },
  };
}

export type PolicyProblem = {
  /** Counted from 1. */
  readonly line: number;
  readonly sentence: string;
};

/** All problems of a policy file, or the file of watches, at once: file, line and a sentence for each. */
export class PolicyError extends Error {
  override readonly name = "PolicyError";
  readonly file: string;
  readonly problems: readonly PolicyProblem[];

  constructor(file: string, problems: readonly PolicyProblem[], what = "policy") {
    const lines = problems.map(({ line, sentence }) => `- ${file}:${line}: ${sentence}`);
    super(
      `The ${what} has ${problems.length === 1 ? "a problem" : `${problems.length} problems`}:\n${lines.join("\n")}`,
    );
    this.file = file;
    this.problems = problems;
  }
}

export type Path = readonly PropertyKey[];

/** Line numbers in a YAML text, counted from 1. */
export type YamlLines = {
  /** The line of the value at a path, or of the nearest value around it. */
  readonly ofValue: (path: Path) => number;
  /** The line of the key; its value can begin on a later one. */
  readonly ofKey: (path: Path) => number;
};

export function yamlLines(document: Document, counter: LineCounter): YamlLines {
  const lineAt = (offset: number): number => Math.max(1, counter.linePos(offset).line);
  const ofValue = (path: Path): number => lineAt(offsetOfValue(document, path));
  const ofKey = (path: Path): number => {
    const offset = offsetOfKey(document, path);
    return offset === undefined ? ofValue(path) : lineAt(offset);
  };
  return { ofValue, ofKey };
}

function offsetOfValue(document: Document, path: Path): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}

function offsetOfKey(document: Document, path: Path): number | undefined {
  const around = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!isMap(around)) return undefined;
  const key = around.items.map((pair) => pair.key).find((each) => isScalar(each) && each.value === path.at(-1));
  return isScalar(key) ? key.range?.[0] : undefined;
}

/** Used without a policy file. `npm run policy -- print` shows it as a starting point. */
export const defaultPolicyText = `# Who may do what, where, and who has to approve it. The first rule that matches decides. Without a match, the request
# is refused. Bots and deactivated people are always refused.
rules:
  - name: read access
    who: members
    does: read
    then: allow

  - name: routine changes
    who: members
    does: routine
    # Not to more than 10 instances and more than 3 times those that it has.
    limits: { growth: 3 }
    then: allow

  - name: big steps
    who: members
    does: routine
    then:
      approve:
        votes: 1
        from: channel-members
        expires: 1h

  - name: disruptive changes
    who: members
    does: [disruptive, destructive]
    then:
      approve:
        votes: 1
        from: channel-members
        expires: 1h
`;

export const defaultPolicy: Policy = readPolicy(defaultPolicyText, "the built-in policy");

/** What a valid policy may not mean: rules that are limited to regions in which no job runs, and don't say so. */
export function policyWarnings({ rules }: Policy, { jobsRegion }: { readonly jobsRegion: string }): PolicyProblem[] {
  return rules.filter((rule) => missesJobs(rule, jobsRegion)).map((rule) => warning(rule, jobsRegion));
}

function missesJobs({ regions, kinds, does }: Rule, jobsRegion: string): boolean {
  if (regions === undefined || regions.some((pattern) => matchesPattern(pattern, jobsRegion))) return false;
  return (kinds === undefined || kinds.includes("job")) && does.some(isAboutJobs);
}

/** On a job, only a new image is disruptive, which a rule for a region hardly means. */
function isAboutJobs(deeds: RuleActions): boolean {
  return isActionId(deeds) ? operationFacts[deeds].kind === "job" : deeds !== "disruptive";
}

function warning({ name, line, regions = [], kinds }: Rule, jobsRegion: string): PolicyProblem {
  const where = `${regions.length === 1 ? "region" : "regions"} ${regions.join(", ")}`;
  const wanted = kinds?.includes("service") === false ? `Use region: ${jobsRegion}` : `Add ${jobsRegion} to region`;
  return {
    line,
    sentence:
      `rule “${name}” never matches jobs: it is for ${where}, and jobs run in ${jobsRegion}. The rules below it decide about them. ` +
      `${wanted}, or write kind: service if only services are meant.`,
  };
}

import type { Condition, Match } from "./match.ts";
import type { Policy, Rule, Question, Verdict } from "./policy.ts";
import { fullActionText, imagesOf, limitText, sizeText, whereText, whoText, termsText } from "./wording.ts";
import { trace } from "./evaluate.ts";
import type { RuleCheck } from "./match.ts";

export type ExplainedRule = {
  readonly rule: string;
  /** In the policy's file, counted from 1. */
  readonly line: number;
  readonly end: "allow" | "approve" | "break-glass" | "refuse";
  readonly match: Match;
  readonly decides: boolean;
  /** The conditions that failed or, if none did, are unknown; empty for a rule that matches. */
  readonly because: readonly string[];
};

/** How a verdict was reached, as plain data. */
export type Explanation = {
  readonly source: string;
  readonly question: string;
  /** In the order they were checked, up to the one that decides. */
  readonly rules: readonly ExplainedRule[];
  readonly verdict: Verdict;
};

/** `evaluate` with every rule that was checked. Pure. */
export function explain(policy: Policy, question: Question): Explanation {
  const { checks, decider, verdict } = trace(policy, question);
  return {
    source: policy.source,
    question: questionText(question),
    rules: checks.map((check) => explainCheck(check, question, check === decider)),
    verdict,
  };
}

function explainCheck({ rule, match, conditions }: RuleCheck, question: Question, decides: boolean): ExplainedRule {
  // Once a condition fails, unknown ones don't matter.
  const because = conditions
    .filter((condition) => match !== "yes" && condition.match === match)
    .map(({ of, unknown }) => `${of}: ${unknown?.why ?? whyNot(of, rule, question)}`);
  return { rule: rule.name, line: rule.line, end: rule.end.kind, match, decides, because };
}

/** The rule's value and the question's, after the name of the condition. */
function whyNot(of: Condition["of"], rule: Rule, question: Question): string {
  const { workload, account, where, person, footprint } = question;
  const words: Readonly<Record<Condition["of"], readonly [readonly string[] | undefined, string | undefined]>> = {
    who: [rule.who, whoText(person)],
    where: [rule.where, whereText(where)],
    does: [rule.does, `to ${fullActionText(question)}`],
    kind: [rule.kinds?.map((kind) => `${kind}s`), `a ${workload.kind}`],
    name: [rule.names, workload.name],
    region: [rule.regions, workload.region],
    account: [rule.accounts, account],
    image: [rule.images, imagesOf(footprint).join(" and ")],
    instances: [[limitText("instances", rule)], sizeText("instances", footprint)],
    memory: [[limitText("memory", rule)], sizeText("memory", footprint)],
    growth: [[limitText("growth", rule)], sizeText("growth", footprint)],
  };
  const isAboutNone = question.op === "bindChannel" && !["who", "where", "does", "region"].includes(of);
  const [wanted = [], is = ""] = isAboutNone ? [words[of][0], "a channel binding, which has no workload"] : words[of];
  return `the rule is for ${wanted.join(", ")}; this is ${is}`;
}

function questionText(question: Question): string {
  const { person, where, workload, account, breakGlass, footprint } = question;
  const sizes = [sizeText("growth", footprint), sizeText("memory", footprint)];
  const facts = [
    ...(workload.region === undefined ? [] : [`region ${workload.region}`]),
    ...(account === undefined ? [] : [`account ${account}`]),
    ...imagesOf(footprint).map((image) => `image ${image}`),
    ...sizes.filter((size) => size !== undefined),
    ...(breakGlass ? ["with --break-glass"] : []),
  ];
  const given = facts.length === 0 ? "" : `, ${facts.join(", ")}`;
  const who = person.name === person.userId ? `${whoText(person)},` : `${person.name} (${whoText(person)})`;
  return `May ${who} ${fullActionText(question)} in ${whereText(where)}${given}?`;
}

const matchWords = {
  yes: "matches, but doesn't decide",
  no: "doesn't match",
  unknown: "might match, so it allows nothing",
} as const;

/** Plain text for a terminal or a message. */
export function explanationLines({ source, question, rules, verdict }: Explanation): string[] {
  const looked = rules.flatMap(({ rule, line, end, match, decides, because }, at) => [
    `${at + 1}. “${rule}” (line ${line}, ${end}): ${decides ? "decides" : matchWords[match]}`,
    ...because.map((each) => `   ${each}`),
  ]);
  const none = rules.length === 0 ? ["No rule was checked."] : [];
  return [question, `By ${source}:`, ...looked, ...none, ...verdictLines(verdict)];
}

function verdictLines(verdict: Verdict): string[] {
  switch (verdict.kind) {
    case "allow":
      return ["Yes, immediately."];
    case "break-glass":
      return ["Yes, immediately with a reason. The channel sees it."];
    case "approve":
      return [`Yes, with ${termsText(verdict.terms)}.`];
    case "refuse":
      return [`No. ${verdict.why}`, verdict.next];
  }
}

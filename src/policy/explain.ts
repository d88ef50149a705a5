import type { Match } from "./match.ts";
import type { Policy } from "./policy.ts";
import type { Question } from "./question.ts";
import { actionText, whereText, whoText, termsText } from "./wording.ts";
import { type RuleCheck, trace } from "./evaluate.ts";
import type { Verdict } from "./verdict.ts";

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
    question: questionInWords(question),
    rules: checks.map((check) => explainCheck(check, check === decider)),
    verdict,
  };
}

function explainCheck({ rule, match, conditions }: RuleCheck, decides: boolean): ExplainedRule {
  // Once a condition fails, unknown ones don't matter.
  const because = conditions
    .filter((condition) => match !== "yes" && condition.match === match)
    .map(({ of, why }) => `${of}: ${why}`);
  return { rule: rule.name, line: rule.line, end: rule.end.kind, match, decides, because };
}

function questionInWords(question: Question): string {
  const { person, where, workload, account, breakGlass } = question;
  const facts = [
    ...(workload.region === undefined ? [] : [`region ${workload.region}`]),
    ...(account === undefined ? [] : [`account ${account}`]),
    ...(breakGlass ? ["breaking the glass"] : []),
  ];
  const given = facts.length === 0 ? "" : `, ${facts.join(", ")}`;
  const who = person.name === person.userId ? `${whoText(person)},` : `${person.name} (${whoText(person)})`;
  return `May ${who} ${actionText(question)} in ${whereText(where)}${given}?`;
}

const matchWords = {
  yes: "matches, but does not decide",
  no: "does not match",
  unknown: "may match, which opens nothing",
} as const;

/** Plain text for a terminal or a message. */
export function explanationLines({ source, question, rules, verdict }: Explanation): string[] {
  const looked = rules.flatMap(({ rule, line, end, match, decides, because }, at) => [
    `${at + 1}. “${rule}” (line ${line}, ${end}): ${decides ? "decides" : matchWords[match]}`,
    ...because.map((each) => `   ${each}`),
  ]);
  const none = rules.length === 0 ? ["No rule was looked at."] : [];
  return [question, `By ${source}:`, ...looked, ...none, ...verdictLines(verdict)];
}

function verdictLines(verdict: Verdict): string[] {
  switch (verdict.kind) {
    case "allow":
      return ["Yes, at once."];
    case "break-glass":
      return ["Yes, at once with a reason; the channel is told."];
    case "approve":
      return [`Yes, after an approval: ${termsText(verdict.terms)}.`];
    case "refuse":
      return [`No. ${verdict.why}`, verdict.next];
  }
}

import type { Match } from "./match.ts";
import type { Policy } from "./policy.ts";
import type { Question } from "./question.ts";
import { deedInWords, placeInWords, whoInWords, termsInWords } from "./wording.ts";
import { type Step, follow } from "./evaluate.ts";
import type { Verdict } from "./verdict.ts";

export type ExplainedRule = {
  readonly rule: string;
  /** In the policy's file, counted from 1. */
  readonly line: number;
  readonly end: "allow" | "approve" | "break-glass" | "refuse";
  /** `unknown`: something is not known that it asks about. */
  readonly match: Match;
  readonly decides: boolean;
  /** Each condition that is not fulfilled or, where none is missed, not known; empty for a rule that matches. */
  readonly because: readonly string[];
};

/** How a verdict was found, as plain data. */
export type Explanation = {
  readonly source: string;
  readonly question: string;
  /** In the order in which they were looked at, up to the one that decides. */
  readonly rules: readonly ExplainedRule[];
  readonly verdict: Verdict;
};

/** The same engine as `judge`, with everything it looked at. Pure. */
export function explain(policy: Policy, question: Question): Explanation {
  const { steps, decider, verdict } = follow(policy, question);
  return {
    source: policy.source,
    question: questionInWords(question),
    rules: steps.map((step) => explainStep(step, step === decider)),
    verdict,
  };
}

function explainStep({ rule, match, parts }: Step, decides: boolean): ExplainedRule {
  // What a rule is not about says enough; whether the rest is known does not matter then.
  const because = parts.filter((part) => match !== "yes" && part.match === match).map(({ of, why }) => `${of}: ${why}`);
  return { rule: rule.name, line: rule.line, end: rule.end.kind, match, decides, because };
}

function questionInWords(question: Question): string {
  const { person, place, workload, account, breakGlass } = question;
  const facts = [
    ...(workload.region === undefined ? [] : [`region ${workload.region}`]),
    ...(account === undefined ? [] : [`account ${account}`]),
    ...(breakGlass ? ["breaking the glass"] : []),
  ];
  const given = facts.length === 0 ? "" : `, ${facts.join(", ")}`;
  const who = person.name === person.userId ? `${whoInWords(person)},` : `${person.name} (${whoInWords(person)})`;
  return `May ${who} ${deedInWords(question)} in ${placeInWords(place)}${given}?`;
}

const matchWords = {
  yes: "matches, but does not decide",
  no: "does not match",
  unknown: "may match, which opens nothing",
} as const;

/** An explanation as lines of plain text, for a terminal or a message. */
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
      return [`Yes, after an approval: ${termsInWords(verdict.terms)}.`];
    case "refuse":
      return [`No. ${verdict.why}`, verdict.next];
  }
}

import type { Match } from "./match.ts";
import { matchOfParts, matchRule, type Part } from "./match-rule.ts";
import type { Policy } from "./policy.ts";
import type { Rule } from "./rule.ts";
import type { Question } from "./question.ts";

/** A rule that was looked at, condition by condition. */
export type Step = {
  readonly rule: Rule;
  readonly match: Match;
  readonly parts: readonly Part[];
};

/** Rules in their order until one decides, which then stands last; `kinds` says which rules are there at all. */
export function stepsThrough(policy: Policy, question: Question, kinds: readonly Rule["end"]["kind"][]): Step[] {
  const steps: Step[] = [];
  for (const rule of policy.rules) {
    if (!kinds.includes(rule.end.kind)) continue;
    const parts = matchRule(rule, question);
    const step = { rule, match: matchOfParts(parts), parts };
    steps.push(step);
    if (decides(step)) break;
  }
  return steps;
}

/** What is not known opens nothing: a rule that refuses decides all the same, a rule that opens does not. */
export function decides({ rule, match }: Step): boolean {
  return match === "yes" || (match === "unknown" && rule.end.kind === "refuse");
}

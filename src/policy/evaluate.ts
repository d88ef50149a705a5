import type { Policy, Rule } from "./policy.ts";
import type { Question } from "./question.ts";
import { bindingCannotWait, glassStays, neverServed, noRuleMatches, ruleRefuses, unsureApproval } from "./refusals.ts";
import type { Verdict } from "./verdict.ts";
import { type Match, matchOfParts, matchRule, type Part } from "./match.ts";

/** How a verdict was found. */
export type Trail = {
  /** The rules in the order in which they were looked at. */
  readonly steps: readonly Step[];
  /** Undefined where no rule matched, or nobody looked at any. */
  readonly decider: Step | undefined;
  readonly verdict: Verdict;
};

/**
 * Judges, and keeps how. The first rule that matches decides, and where none does the answer is no. With `--break-glass`
 * the rules for it are looked at before all others, where only a refusal above one keeps it closed; without it they are
 * not there. Total: it answers every question, and the same one the same way.
 */
export function follow(policy: Policy, asked: Question): Trail {
  // Glass is broken for a change that cannot wait; a binding is none.
  const question = asked.op === "bindChannel" ? { ...asked, breakGlass: false } : asked;
  const never = neverServed(question.person);
  if (never !== undefined) return { steps: [], decider: undefined, verdict: never };
  if (!question.breakGlass) return usually(policy, question, []);
  const glass = stepsThrough(policy, question, ["break-glass", "refuse"]);
  const breaking = breakingStep(glass);
  if (breaking !== undefined) {
    return { steps: glass, decider: breaking, verdict: { kind: "break-glass", rule: breaking.rule.name } };
  }
  const looked = glass.filter(({ rule }) => rule.end.kind === "break-glass");
  const usual = usually(policy, question, looked);
  return { ...usual, steps: [...looked, ...usual.steps] };
}

/** `glass`: the rules for it that were looked at in vain. */
function usually(policy: Policy, question: Question, glass: readonly Step[]): Trail {
  const steps = stepsThrough(policy, question, ["allow", "approve", "refuse"]);
  // An approval that may be needed must not be skipped for a later rule that asks less.
  const unsure = steps.find(({ rule, match }) => rule.end.kind === "approve" && match === "unknown");
  const last = steps.at(-1);
  const mayBreak = (): boolean => couldBreakGlass(policy, question);
  if (last === undefined || !decides(last)) {
    return { steps, decider: undefined, verdict: noRuleMatches([...glass, ...steps], question, mayBreak()) };
  }
  const { end, name: rule } = last.rule;
  if (end.kind === "refuse") return { steps, decider: last, verdict: ruleRefuses(last, question, mayBreak()) };
  if (unsure !== undefined) return { steps, decider: unsure, verdict: unsureApproval(unsure, question) };
  if (end.kind !== "approve") return { steps, decider: last, verdict: { kind: end.kind, rule } };
  if (question.op === "bindChannel") return { steps, decider: last, verdict: bindingCannotWait(rule) };
  const maybeGlass = glass.find(({ match }) => match === "unknown");
  const approve: Verdict = { kind: "approve", rule, terms: end.terms };
  return { steps, decider: last, verdict: question.breakGlass ? glassStays(rule, maybeGlass) : approve };
}

/** Whether it would run at once if they said `--break-glass`, for a hint in a refusal. */
function couldBreakGlass(policy: Policy, question: Question): boolean {
  if (question.breakGlass || question.risk === undefined || question.op === "bindChannel") return false;
  return breakingStep(stepsThrough(policy, question, ["break-glass", "refuse"])) !== undefined;
}

function breakingStep(steps: readonly Step[]): Step | undefined {
  const last = steps.at(-1);
  return last?.rule.end.kind === "break-glass" && decides(last) ? last : undefined;
}

/** What the policy says to a question. Pure and total; `explain` tells how it came to that. */
export function evaluate(policy: Policy, question: Question): Verdict {
  return follow(policy, question).verdict;
}

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

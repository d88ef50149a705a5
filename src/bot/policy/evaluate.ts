import type { Policy, Rule } from "./policy.ts";
import type { Question } from "./question.ts";
import {
  bindingCannotWait,
  breakGlassRefused,
  neverServed,
  noRuleMatches,
  ruleRefuses,
  approvalUnclear,
} from "./refusals.ts";
import type { Verdict } from "./verdict.ts";
import { type Match, matchOfConditions, matchRule, type Condition } from "./match.ts";

/** A verdict with every rule that was checked for it. */
export type Trace = {
  /** In the order in which the rules were checked. */
  readonly checks: readonly RuleCheck[];
  /** Undefined when no rule decided. */
  readonly decider: RuleCheck | undefined;
  readonly verdict: Verdict;
};

/**
 * The first rule that matches decides; without a match the answer is no. With `--break-glass`, break-glass rules come
 * first, and only a refusal above one prevents it; without the flag they are ignored. Pure and total.
 */
export function trace(policy: Policy, asked: Question): Trace {
  // Break-glass is for urgent changes. A binding never is.
  const question = asked.op === "bindChannel" ? { ...asked, breakGlass: false } : asked;
  const never = neverServed(question.person);
  if (never !== undefined) return { checks: [], decider: undefined, verdict: never };
  if (!question.breakGlass) return withoutBreakGlass(policy, question, []);
  const glass = checkRules(policy, question, ["break-glass", "refuse"]);
  const breaking = breakGlassCheck(glass);
  if (breaking !== undefined) {
    return { checks: glass, decider: breaking, verdict: { kind: "break-glass", rule: breaking.rule.name } };
  }
  const notMatched = glass.filter(({ rule }) => rule.end.kind === "break-glass");
  const usual = withoutBreakGlass(policy, question, notMatched);
  return { ...usual, checks: [...notMatched, ...usual.checks] };
}

/** `glass`: the break-glass rules that did not match. */
function withoutBreakGlass(policy: Policy, question: Question, glass: readonly RuleCheck[]): Trace {
  const checks = checkRules(policy, question, ["allow", "approve", "refuse"]);
  // A later rule that requires less must not win over an approval that might be required.
  const unsure = checks.find(({ rule, match }) => rule.end.kind === "approve" && match === "unknown");
  const last = checks.at(-1);
  const mayBreak = (): boolean => couldBreakGlass(policy, question);
  if (last === undefined || !decides(last)) {
    return { checks, decider: undefined, verdict: noRuleMatches([...glass, ...checks], question, mayBreak()) };
  }
  const { end, name: rule } = last.rule;
  if (end.kind === "refuse") return { checks, decider: last, verdict: ruleRefuses(last, question, mayBreak()) };
  if (unsure !== undefined) return { checks, decider: unsure, verdict: approvalUnclear(unsure, question) };
  if (end.kind !== "approve") return { checks, decider: last, verdict: { kind: end.kind, rule } };
  if (question.op === "bindChannel") return { checks, decider: last, verdict: bindingCannotWait(rule) };
  const maybeGlass = glass.find(({ match }) => match === "unknown");
  const approve: Verdict = { kind: "approve", rule, terms: end.terms };
  return { checks, decider: last, verdict: question.breakGlass ? breakGlassRefused(rule, maybeGlass) : approve };
}

/** Whether `--break-glass` would allow it, for the hint in a refusal. */
function couldBreakGlass(policy: Policy, question: Question): boolean {
  if (question.breakGlass || question.risk === undefined || question.op === "bindChannel") return false;
  return breakGlassCheck(checkRules(policy, question, ["break-glass", "refuse"])) !== undefined;
}

function breakGlassCheck(checks: readonly RuleCheck[]): RuleCheck | undefined {
  const last = checks.at(-1);
  return last?.rule.end.kind === "break-glass" && decides(last) ? last : undefined;
}

/** Answers a question with the first rule that matches. Pure and total; `explain` shows how it was decided. */
export function evaluate(policy: Policy, question: Question): Verdict {
  return trace(policy, question).verdict;
}

/** One rule checked against a question, condition by condition. */
export type RuleCheck = {
  readonly rule: Rule;
  readonly match: Match;
  readonly conditions: readonly Condition[];
};

/** Checks rules in order up to the one that decides, which is last. Rules of other kinds are skipped. */
export function checkRules(policy: Policy, question: Question, kinds: readonly Rule["end"]["kind"][]): RuleCheck[] {
  const checks: RuleCheck[] = [];
  for (const rule of policy.rules) {
    if (!kinds.includes(rule.end.kind)) continue;
    const conditions = matchRule(rule, question);
    const check = { rule, match: matchOfConditions(conditions), conditions };
    checks.push(check);
    if (decides(check)) break;
  }
  return checks;
}

/** Fail closed: when a fact is unknown, refuse rules decide and allow rules do not. */
export function decides({ rule, match }: RuleCheck): boolean {
  return match === "yes" || (match === "unknown" && rule.end.kind === "refuse");
}

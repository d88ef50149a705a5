import type { Policy, Rule, Question, Verdict, Approvers, Terms } from "./policy.ts";
import type { Risk } from "./operation-facts.ts";
import {
  bigStepOf,
  bindingCannotWait,
  breakGlassRefused,
  neverServed,
  noRuleMatches,
  ruleRefuses,
  approvalUnclear,
} from "./refusals.ts";
import { type RuleCheck, matchOfConditions, matchRule, type Condition } from "./match.ts";
import { type ActionId, operationFacts } from "./operation-facts.ts";

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
  if (end.kind === "refuse")
    return { checks, decider: last, verdict: ruleRefuses(last, { checks, question, mayBreak: mayBreak() }) };
  if (unsure !== undefined) return { checks, decider: unsure, verdict: approvalUnclear(unsure, question) };
  if (end.kind !== "approve") return { checks, decider: last, verdict: { kind: end.kind, rule } };
  if (question.op === "bindChannel") return { checks, decider: last, verdict: bindingCannotWait(rule) };
  const maybeGlass = glass.find(({ match }) => match === "unknown");
  const bigStep = bigStepOf(checks, question);
  const approve: Verdict = { kind: "approve", rule, terms: end.terms, ...(bigStep !== undefined && { bigStep }) };
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

/**
 * The best answer to a question whose images and sizes aren't known yet: rules about these refuse nothing, and those that
 * allow it or take an approval match. One that would only make an approval unclear doesn't. Pure.
 */
export function evaluateAtBest(policy: Policy, question: Question): Verdict {
  // The fast path: cards and pickers ask this about every verb.
  if (!policy.rules.some(isAboutSizes)) return evaluate(policy, question);
  const assuming = (ends: readonly Rule["end"]["kind"][]): Policy => {
    const rules = policy.rules.flatMap((rule) => {
      if (!isAboutSizes(rule)) return [rule];
      const matching = { ...rule, images: undefined, limits: undefined };
      const isClear = rule.end.kind !== "approve" || matchOfConditions(matchRule(matching, question)) === "yes";
      return ends.includes(rule.end.kind) && isClear ? [matching] : [];
    });
    return { ...policy, rules };
  };
  const withoutApproval = evaluate(assuming(["allow", "break-glass"]), question);
  return betterVerdict(withoutApproval, evaluate(assuming(["allow", "break-glass", "approve"]), question));
}

function isAboutSizes({ images, limits }: Rule): boolean {
  return images !== undefined || limits !== undefined;
}

/** Best first, for the person who asks. */
const rank: Readonly<Record<Verdict["kind"], number>> = { allow: 0, "break-glass": 1, approve: 2, refuse: 3 };

/** The better of two verdicts; the first if they are equal. */
export function betterVerdict(one: Verdict, other: Verdict): Verdict {
  return rank[other.kind] < rank[one.kind] ? other : one;
}

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

/** Best first, for the person who asks. */
const outcomes = ["allow", "approve", "approve-with-reason", "refuse"] as const;
export type Outcome = (typeof outcomes)[number];
type Asker = Pick<Question, "person" | "where" | "account"> & {
  readonly breakGlass?: boolean;
  /** The workload that it would be about; without one, any. */
  readonly workload?: Pick<Question["workload"], "region" | "name">;
};
type Action = { readonly op: ActionId; readonly risk: Risk | undefined };

/**
 * The best outcome of any of these actions, on any workload or on this one, for help, lists of verbs and forms. Facts about the asker that are
 * unknown allow nothing. Break-glass rules count only with `breakGlass`. No actions means no rule is needed. Pure.
 */
export function bestOutcome(policy: Policy, asker: Asker, deeds: readonly Action[]): Outcome {
  if (neverServed(asker.person) !== undefined) return "refuse";
  return deeds.length === 0 ? "allow" : bestOf(deeds.map((deed) => bestOf(outcomesOf(policy, asker, deed))));
}

/** The outcomes that some workload could have. */
function outcomesOf(policy: Policy, asker: Asker, { op, risk }: Action): Outcome[] {
  const { breakGlass = false, workload: { region, name } = {} } = asker;
  const workload = { kind: operationFacts[op].kind, region, name };
  const question: Question = { ...asker, op, risk, workload, breakGlass };
  const possible: Outcome[] = [];
  for (const rule of policy.rules) {
    if (rule.end.kind === "break-glass" && (!breakGlass || op === "bindChannel")) continue;
    const conditions = matchRule(rule, question);
    const ofAsker = matchOfConditions(conditions.filter(isOfAsker));
    const ofWorkload = matchOfConditions(conditions.filter((condition) => !isOfAsker(condition)));
    if (ofAsker === "no" || ofWorkload === "no") continue;
    const end = outcomeOf(rule, op, ofAsker === "unknown");
    if (end === undefined) continue;
    if (end !== "refuse") possible.push(end);
    if (ofWorkload === "yes") return possible;
  }
  return possible;
}

/** Like `evaluate`: an approval that might be required is never skipped, and a binding can't wait for one. */
function outcomeOf({ end }: Rule, op: ActionId, isUnsure: boolean): Outcome | undefined {
  if (end.kind === "allow" || end.kind === "break-glass") return isUnsure ? undefined : "allow";
  if (end.kind !== "approve" || isUnsure || op === "bindChannel") return "refuse";
  return end.terms.reasonRequired ? "approve-with-reason" : "approve";
}

function isOfAsker({ of }: Condition): boolean {
  return of === "who" || of === "where" || of === "account";
}

function bestOf(possible: readonly Outcome[]): Outcome {
  return outcomes.find((outcome) => possible.includes(outcome)) ?? "refuse";
}

type Approve = Extract<Verdict, { readonly kind: "approve" }>;

/**
 * The verdict on one request for several workloads, from the verdict on each. The first refusal refuses all; else the
 * strictest terms count. `split`: one approval can't satisfy each of them. Pure.
 */
export function strictest(verdicts: readonly Verdict[]): Verdict | "split" {
  const [first] = verdicts;
  if (first === undefined) throw new Error("no verdict to choose from");
  const refused = verdicts.find(({ kind }) => kind === "refuse");
  if (refused !== undefined) return refused;
  const glass = verdicts.find(({ kind }) => kind === "break-glass");
  const approvals = verdicts.filter((verdict) => verdict.kind === "approve");
  if (approvals.length === 0) return glass ?? first;
  // Breaking the glass skips approvals, and the others need them.
  return glass === undefined ? strictestTerms(approvals) : "split";
}

function strictestTerms(approvals: readonly Approve[]): Approve | "split" {
  const terms = approvals.map((approval) => approval.terms);
  const [first] = terms;
  if (first === undefined) return "split";
  const isShared = terms.every((each) => each.cardIn === first.cardIn && keyOf(each.from) === keyOf(first.from));
  if (!isShared) return "split";
  const votes = Math.max(...terms.map((each) => each.votes));
  const rule = approvals.find((approval) => approval.terms.votes === votes)?.rule ?? "";
  return { kind: "approve", rule, terms: { ...first, ...combined(terms), votes } };
}

function combined(terms: readonly Terms[]): Omit<Terms, "votes" | "from" | "cardIn"> {
  const mentions = new Set(terms.map(({ mention }) => mention));
  const loudest = (["all", "groups"] as const).find((mention) => mentions.has(mention)); // literal words
  return {
    selfApproval: terms.every(({ selfApproval }) => selfApproval),
    reasonRequired: terms.some(({ reasonRequired }) => reasonRequired),
    expiresMs: Math.min(...terms.map(({ expiresMs }) => expiresMs)),
    mention: loudest ?? "nobody",
  };
}

function keyOf({ users, groups, channelMembers }: Approvers): string {
  return JSON.stringify([users.toSorted(), groups.toSorted(), channelMembers]);
}

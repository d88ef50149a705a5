import type { Condition } from "./match.ts";
import type { Person, Question } from "./question.ts";
import { actionText } from "./wording.ts";
import type { RuleCheck } from "./evaluate.ts";
import type { Verdict } from "./verdict.ts";
import { operationFacts } from "./operation-facts.ts";
import type { Rule } from "./policy.ts";
import { isGroupId } from "./policy-words.ts";

type Refusal = Extract<Verdict, { readonly kind: "refuse" }>;

/** Bots and deactivated people may do nothing, even if a rule allows everyone. */
export function neverServed({ standing }: Person): Refusal | undefined {
  if (standing === "bot") {
    return refusal(undefined, "Gantry does nothing for bots and apps.", "Let a person ask for it.");
  }
  if (standing === "deactivated") {
    return refusal(
      undefined,
      "This Slack account is deactivated, so Gantry does nothing for it.",
      "Let somebody else ask for it, or have the account activated again.",
    );
  }
  return undefined;
}

export function ruleRefuses({ rule, match, conditions }: RuleCheck, question: Question, mayBreak: boolean): Refusal {
  const said = rule.end.kind === "refuse" ? rule.end.say : undefined;
  const glass = mayBreak ? breakGlassHint : undefined;
  const unknown = match === "unknown" ? unknownFactsIn(conditions) : undefined;
  if (unknown !== undefined) {
    const some = `The rule “${rule.name}” refuses this in some cases, and ${unknown.why}.`;
    return refusal(rule.name, said === undefined ? some : `${sentence(said)} ${some}`, glass ?? unknown.next);
  }
  const why = said ?? `The rule “${rule.name}” does not let you ${actionText(question)}.`;
  const wrong = `If that is wrong, tell whoever keeps Gantry's rules: it is the rule “${rule.name}”.`;
  return refusal(rule.name, sentence(why), glass ?? wrong);
}

/** Names the person's role when that is the reason, and suggests the closest way to get there. */
export function noRuleMatches(checks: readonly RuleCheck[], question: Question, mayBreak: boolean): Refusal {
  const { standing } = question.person;
  const who = { guest: "You are a guest here, and no", outsider: "You are from another organisation, and no" };
  const no = standing === "guest" || standing === "outsider" ? who[standing] : "No";
  const why = `${no} rule lets you ${actionText(question)}`;
  const maybe = checks.find(({ match }) => match === "unknown");
  const unknown = maybe && unknownFactsIn(maybe.conditions);
  if (maybe !== undefined && unknown !== undefined) {
    const might = `The rule “${maybe.rule.name}” might, but ${unknown.why}.`;
    return refusal(undefined, `${why}. ${might}`, unknown.next);
  }
  const glass = mayBreak ? breakGlassHint : undefined;
  if (glass !== undefined) return refusal(undefined, `${why}.`, glass);
  const elsewhere = checks.find(({ conditions }) =>
    conditions.every(({ of, match }) => match === "yes" || of === "where"),
  );
  if (elsewhere !== undefined) return refusal(undefined, `${why} here.`, askElsewhere(elsewhere));
  return refusal(undefined, `${why}.`, askSomebody[standing]);
}

/** An approval might be required, so it isn't skipped. */
export function approvalUnclear({ rule, conditions }: RuleCheck, question: Question): Refusal {
  const unknown = unknownFactsIn(conditions);
  return refusal(
    rule.name,
    `The rule “${rule.name}” may ask for an approval before you ${actionText(question)}, but ${unknown?.why ?? "that cannot be told"}.`,
    unknown?.next ?? "Try again in a minute.",
  );
}

/** Only changes of workloads can be stored and approved later; a binding can't. */
export function bindingCannotWait(rule: string): Refusal {
  const why = `The rule “${rule}” asks for an approval before you bind this channel, and a binding cannot wait for one.`;
  return refusal(rule, why, "Ask whoever keeps Gantry's rules for one that speaks of bindChannel and allows it.");
}

/** `maybe`: a break-glass rule that depends on an unknown fact. */
export function breakGlassRefused(rule: string, maybe: RuleCheck | undefined): Refusal {
  const unknown = maybe && unknownFactsIn(maybe.conditions);
  const next = "ask again without --break-glass, and have it approved.";
  if (maybe === undefined || unknown === undefined) {
    const why = `No rule lets you break the glass for this; the rule “${rule}” asks for an approval.`;
    return refusal(rule, why, `A${next.slice(1)}`);
  }
  const why = `The rule “${maybe.rule.name}” might let you break the glass, but ${unknown.why}; the rule “${rule}” asks for an approval.`;
  return refusal(rule, why, `${unknown.next} Or ${next}`);
}

const askSomebody = {
  member: "Ask whoever keeps Gantry's rules to add one for it.",
  guest: "Ask a full member of this workspace to do it.",
  outsider: "Ask a member of the organisation that runs Gantry to do it.",
  bot: "Let a person ask for it.",
  deactivated: "Let somebody else ask for it.",
} as const;

function askElsewhere({ rule: { where = [] } }: RuleCheck): string {
  const places = where.map((word) => {
    if (word === "dm") return "a direct message with Gantry";
    return word === "channels" ? "a channel" : `the channel ${word}`;
  });
  return `It is possible in ${places.join(" or ")}: ask there.`;
}

const breakGlassHint =
  "If it cannot wait, ask again with --break-glass and --reason: it runs at once, and the channel is told.";

function unknownFactsIn(conditions: readonly Condition[]): UnknownFact | undefined {
  const unknowns = conditions.flatMap(({ unknown }) => (unknown === undefined ? [] : [unknown]));
  if (unknowns.length === 0) return undefined;
  const all = (of: "why" | "next", between: string): string =>
    [...new Set(unknowns.map((unknown) => unknown[of]))].join(between);
  return { why: all("why", ", and "), next: all("next", " ") };
}

function sentence(text: string): string {
  return /[.!?…]$/u.test(text) ? text : `${text}.`;
}

function refusal(rule: string | undefined, why: string, next: string): Refusal {
  return { kind: "refuse", rule, why, next };
}

export type UnknownFact = {
  /** Completes a sentence. */
  readonly why: string;
  /** A sentence: how the person can supply it. */
  readonly next: string;
};

const kindOfOne = {
  why: "it is not said whether a service or a job is meant",
  next: "Write service/NAME or job/NAME.",
};
const kindOfList = { why: "this lists services and jobs together", next: "Ask for services or for jobs only." };
const risk = { why: "it is not known yet how much this can hurt", next: "Ask with the whole command." };
const nameOfOne = { why: "no workload is named", next: "Name the workload." };
const nameOfList = { why: "a list shows workloads of every name", next: "Ask for one workload by its name." };

export function unknownFact(of: Condition["of"], rule: Rule, { op, workload, person }: Question): UnknownFact {
  const isList = operationFacts[op].verb === "list";
  const kind = isList ? kindOfList : kindOfOne;
  switch (of) {
    case "who":
      return {
        why: `Slack did not tell whether you are in the user group ${unknownGroups(rule, person).join(" or ")}`,
        next: "Try again in a minute; if it stays so, Gantry may lack the right to read user groups.",
      };
    case "where":
      return { why: "the place is not known", next: "Ask in a channel." };
    case "does":
      return workload.kind === undefined && operationFacts[op].twin !== undefined ? kind : risk;
    case "kind":
      return kind;
    case "name":
      return isList ? nameOfList : nameOfOne;
    case "region":
      return { why: "no region is named", next: "Name it with --region." };
    case "account":
      return { why: "it is not known with which account it would be done", next: "Connect an account." };
  }
}

function unknownGroups({ who }: Rule, { inGroup }: Person): string[] {
  return who.filter((word) => isGroupId(word) && inGroup(word) === "unknown");
}

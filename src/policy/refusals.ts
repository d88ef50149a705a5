import type { Part } from "./match.ts";
import type { Person, Question } from "./question.ts";
import { deedInWords } from "./wording.ts";
import type { Step } from "./evaluate.ts";
import type { Verdict } from "./verdict.ts";
import { operationFacts } from "./operation-facts.ts";
import type { Rule } from "./policy.ts";
import { isGroupId } from "./policy-words.ts";

type Refusal = Extract<Verdict, { readonly kind: "refuse" }>;

/** Bots and deactivated people may do nothing, whatever a rule says of everyone. */
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

export function ruleRefuses({ rule, match, parts }: Step, question: Question, mayBreak: boolean): Refusal {
  const said = rule.end.kind === "refuse" ? rule.end.say : undefined;
  const glass = mayBreak ? glassHint : undefined;
  const unknown = match === "unknown" ? unknownsOf(parts) : undefined;
  if (unknown !== undefined) {
    const some = `The rule “${rule.name}” refuses this in some cases, and ${unknown.why}.`;
    return refusal(rule.name, said === undefined ? some : `${sentence(said)} ${some}`, glass ?? unknown.next);
  }
  const why = said ?? `The rule “${rule.name}” does not let you ${deedInWords(question)}.`;
  const wrong = `If that is wrong, tell whoever keeps Gantry's rules: it is the rule “${rule.name}”.`;
  return refusal(rule.name, sentence(why), glass ?? wrong);
}

/** Says who they are, where that is why, and the nearest way to what they want. */
export function noRuleMatches(steps: readonly Step[], question: Question, mayBreak: boolean): Refusal {
  const { standing } = question.person;
  const who = { guest: "You are a guest here, and no", outsider: "You are from another organisation, and no" };
  const no = standing === "guest" || standing === "outsider" ? who[standing] : "No";
  const why = `${no} rule lets you ${deedInWords(question)}`;
  const maybe = steps.find(({ match }) => match === "unknown");
  const unknown = maybe && unknownsOf(maybe.parts);
  if (maybe !== undefined && unknown !== undefined) {
    const might = `The rule “${maybe.rule.name}” might, but ${unknown.why}.`;
    return refusal(undefined, `${why}. ${might}`, unknown.next);
  }
  const glass = mayBreak ? glassHint : undefined;
  if (glass !== undefined) return refusal(undefined, `${why}.`, glass);
  const elsewhere = steps.find(({ parts }) => parts.every(({ of, match }) => match === "yes" || of === "where"));
  if (elsewhere !== undefined) return refusal(undefined, `${why} here.`, askElsewhere(elsewhere));
  return refusal(undefined, `${why}.`, askSomebody[standing]);
}

/** Why an approval that may be needed is not skipped. */
export function unsureApproval({ rule, parts }: Step, question: Question): Refusal {
  const unknown = unknownsOf(parts);
  return refusal(
    rule.name,
    `The rule “${rule.name}” may ask for an approval before you ${deedInWords(question)}, but ${unknown?.why ?? "that cannot be told"}.`,
    unknown?.next ?? "Try again in a minute.",
  );
}

/** Approvals are for changes of workloads: they are stored, checked again and carried out; a binding is none of them. */
export function bindingCannotWait(rule: string): Refusal {
  const why = `The rule “${rule}” asks for an approval before you bind this channel, and a binding cannot wait for one.`;
  return refusal(rule, why, "Ask whoever keeps Gantry's rules for one that speaks of bindChannel and allows it.");
}

/** `maybe`: a rule that might have let them, if more were known. */
export function glassStays(rule: string, maybe: Step | undefined): Refusal {
  const unknown = maybe && unknownsOf(maybe.parts);
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

function askElsewhere({ rule: { where = [] } }: Step): string {
  const places = where.map((word) => {
    if (word === "dm") return "a direct message with Gantry";
    return word === "channels" ? "a channel" : `the channel ${word}`;
  });
  return `It is possible in ${places.join(" or ")}: ask there.`;
}

const glassHint =
  "If it cannot wait, ask again with --break-glass and --reason: it runs at once, and the channel is told.";

function unknownsOf(parts: readonly Part[]): Unknown | undefined {
  const unknowns = parts.flatMap(({ unknown }) => (unknown === undefined ? [] : [unknown]));
  if (unknowns.length === 0) return undefined;
  const all = (of: "why" | "next", between: string): string =>
    [...new Set(unknowns.map((unknown) => unknown[of]))].join(between);
  return { why: all("why", ", and "), next: all("next", " ") };
}

/** What a policy's author wrote, as a sentence that another one can follow. */
function sentence(text: string): string {
  return /[.!?…]$/u.test(text) ? text : `${text}.`;
}

function refusal(rule: string | undefined, why: string, next: string): Refusal {
  return { kind: "refuse", rule, why, next };
}

export type Unknown = {
  /** What is not known, as the end of a sentence. */
  readonly why: string;
  /** What makes it known, as a sentence. */
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

/** What to say of a condition that cannot be told. */
export function unknownFact(of: Part["of"], rule: Rule, { op, workload, person }: Question): Unknown {
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

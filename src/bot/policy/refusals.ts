import type { Condition, RuleCheck, UnknownFact } from "./match.ts";
import { matchesImage } from "./patterns.ts";
import type { Person, Question, Rule, Verdict } from "./policy.ts";
import { actionText, imagesOf, limitText, type Size, sizeText } from "./wording.ts";

type Refusal = Extract<Verdict, { readonly kind: "refuse" }>;

/** Bots and deactivated people may do nothing, even if a rule allows everyone. */
export function neverServed({ standing }: Person): Refusal | undefined {
  if (standing === "bot") {
    return refusal(undefined, "I don't take requests from bots or apps.", "Ask a person to request it.");
  }
  if (standing === "deactivated") {
    return refusal(undefined, "This Slack account is deactivated.", askSomebody.deactivated);
  }
  return undefined;
}

export function ruleRefuses(
  { rule, match, conditions }: RuleCheck,
  {
    checks,
    question,
    mayBreak,
  }: { readonly checks: readonly RuleCheck[]; readonly question: Question; readonly mayBreak: boolean },
): Refusal {
  const said = rule.end.kind === "refuse" ? rule.end.say : undefined;
  const glass = mayBreak ? breakGlassHint : undefined;
  const unknown = match === "unknown" ? unknownFactsIn(conditions) : undefined;
  if (unknown !== undefined) {
    const some = `${youCannot(question)}: the policy rule “${rule.name}” may forbid it, and ${unknown.why}.`;
    return refusal(rule.name, said === undefined ? some : `${some} ${sentence(said)}`, glass ?? unknown.next);
  }
  const why = said === undefined ? `: the policy rule “${rule.name}” forbids it.` : `. ${sentence(said)}`;
  return refusal(
    rule.name,
    `${youCannot(question)}${why}`,
    glass ?? nearest(checks, question)?.next ?? "If this is wrong, contact your Gantry admin.",
  );
}

/** Names the person's role when that is the reason, and suggests the closest way to get there. */
export function noRuleMatches(checks: readonly RuleCheck[], question: Question, mayBreak: boolean): Refusal {
  const { standing } = question.person;
  const who = { guest: " for guests", outsider: " for people from other organizations" };
  const forThem = standing === "guest" || standing === "outsider" ? who[standing] : "";
  const why = `${youCannot(question)}: no policy rule allows it${forThem}`;
  const maybe = checks.find(({ match }) => match === "unknown");
  const unknown = maybe && unknownFactsIn(maybe.conditions);
  if (maybe !== undefined && unknown !== undefined) {
    const might = `the policy rule “${maybe.rule.name}” might allow it, but ${unknown.why}.`;
    return refusal(undefined, `${youCannot(question)}: ${might}`, unknown.next);
  }
  // A binding has no image or size that the person could change.
  const near = question.op === "bindChannel" ? undefined : nearest(checks, question);
  const glass = mayBreak ? breakGlassHint : undefined;
  if (near !== undefined)
    return refusal(undefined, `${youCannot(question)}: no policy rule allows ${near.what}.`, glass ?? near.next);
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
    `${youCannot(question)} yet: the policy rule “${rule.name}” may need an approval, and ${unknown?.why ?? "a fact is unknown"}.`,
    unknown?.next ?? "Try again in a minute.",
  );
}

/** Only changes of workloads can be stored and approved later; a binding can't. */
export function bindingCannotWait(rule: string): Refusal {
  const why = `You can't bind this channel: the policy rule “${rule}” needs an approval, and binding can't wait for one.`;
  return refusal(rule, why, "Ask your Gantry admin to add a policy rule that allows bindChannel.");
}

/** `maybe`: a break-glass rule that depends on an unknown fact. */
export function breakGlassRefused(rule: string, maybe: RuleCheck | undefined): Refusal {
  const unknown = maybe && unknownFactsIn(maybe.conditions);
  const next = "Request it again without `--break-glass`.";
  if (maybe === undefined || unknown === undefined) {
    const why = `You can't skip the approval: no policy rule allows break-glass here, and “${rule}” needs an approval.`;
    return refusal(rule, why, next);
  }
  const why = `You can't skip the approval: the policy rule “${maybe.rule.name}” might allow break-glass, but ${unknown.why}.`;
  return refusal(rule, why, `${unknown.next} ${next}`);
}

const askSomebody = {
  member: "Ask your Gantry admin to add a policy rule for it.",
  guest: "Ask a full member of this workspace.",
  outsider: "Ask a member of the organization that runs Gantry.",
  bot: "Ask a person to request it.",
  deactivated: "Ask somebody else to request it, or have the account reactivated.",
} as const;

function askElsewhere({ rule: { where = [] } }: RuleCheck): string {
  const places = where.map((word) => {
    if (word === "dm") return "a direct message with me";
    return word === "channels" ? "a channel" : `#${word}`;
  });
  return `Request it in ${places.join(" or ")}.`;
}

/**
 * Rules that would match with another image or a smaller size: which of these no rule allows, and what those rules are
 * about. Undefined if there is none.
 */
function nearest(
  checks: readonly RuleCheck[],
  question: Question,
): { readonly what: string; readonly next: string } | undefined {
  const near = checks.filter(
    ({ rule, match, conditions }) =>
      match === "no" &&
      rule.end.kind !== "refuse" &&
      conditions.every((each) => each.match === "yes" || isOfFootprint(each)),
  );
  const [first] = near;
  if (first === undefined) return undefined;
  const sentences = near.slice(0, MOST_NEAR).map((check) => {
    const wanted = failedOf(check).map((of) =>
      of === "image" ? inList(check.rule.images ?? []) : limitText(of, check.rule),
    );
    return `The policy rule “${check.rule.name}” is for ${wanted.join(", ")}.`;
  });
  const what = failedOf(first).map((of) =>
    of === "image" ? strangeImages(first.rule, question) : (sizeText(of, question.footprint) ?? "this size"),
  );
  return { what: inList(what), next: sentences.join(" ") };
}

const MOST_NEAR = 3;

type OfFootprint = Size | "image";

function isOfFootprint(condition: Condition): condition is Condition & { readonly of: OfFootprint } {
  return ["image", "instances", "memory", "growth"].includes(condition.of);
}

function failedOf({ conditions }: RuleCheck): OfFootprint[] {
  return conditions.flatMap((each) => (isOfFootprint(each) && each.match === "no" ? [each.of] : []));
}

/** "2 → 500 instances", where a rule would allow a smaller step. Undefined otherwise. */
export function bigStepOf(checks: readonly RuleCheck[], { footprint }: Question): string | undefined {
  const isOnly = checks.some(
    ({ rule, match, conditions }) =>
      match === "no" &&
      rule.end.kind === "allow" &&
      conditions.every((each) => each.match === "yes" || each.of === "growth"),
  );
  return isOnly ? sizeText("growth", footprint) : undefined;
}

/** "the image “evil/web:1”": those that the rule isn't about. */
function strangeImages({ images = [] }: Rule, { footprint }: Question): string {
  const strange = imagesOf(footprint).filter(
    (image) => !images.some((pattern) => matchesImage(pattern, image) === true),
  );
  return `the image${strange.length === 1 ? "" : "s"} ${inList(strange.map((image) => `“${image}”`))}`;
}

function inList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

const breakGlassHint =
  "If it can't wait, add `--break-glass` and `--reason`. It then runs immediately, and the channel sees it.";

function unknownFactsIn(conditions: readonly Condition[]): UnknownFact | undefined {
  const unknowns = conditions.flatMap(({ unknown }) => (unknown === undefined ? [] : [unknown]));
  if (unknowns.length === 0) return undefined;
  const all = (of: "why" | "next", between: string): string =>
    [...new Set(unknowns.map((unknown) => unknown[of]))].join(between);
  return { why: all("why", ", and "), next: all("next", " ") };
}

/** "You can't delete “web”". Views show quoted names in bold. */
function youCannot(question: Question): string {
  return `You can't ${actionText(question)}`;
}

function sentence(text: string): string {
  return /[.!?…]$/u.test(text) ? text : `${text}.`;
}

function refusal(rule: string | undefined, why: string, next: string): Refusal {
  return { kind: "refuse", rule, why, next };
}

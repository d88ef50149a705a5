import { deedInWords, placeInWords, whoInWords } from "./wording.ts";
import { type ActionId, operationFacts } from "./operation-facts.ts";
import type { Deeds, Rule } from "./policy.ts";
import type { Question } from "./question.ts";
import { isGroupId } from "./policy-words.ts";
import { type Unknown, unknownFact } from "./refusals.ts";

/** One condition of a rule, held against a question. */
export type Part = {
  readonly of: "who" | "where" | "does" | "kind" | "name" | "region" | "account";
  readonly match: Match;
  /** Why it is not a plain yes, to be read after the condition's name. */
  readonly why: string;
  /** Only where it is unknown: why, as the end of a sentence, and what the person can do. */
  readonly unknown: Unknown | undefined;
};

/** Every condition of a rule, held against a question. Pure; it knows nothing of what the rule would lead to. */
export function matchRule(rule: Rule, question: Question): readonly Part[] {
  const isBinding = question.op === "bindChannel";
  const others = [
    partOf("where", matchWhere(rule.where, question), { rule, question }),
    partOf("does", matchDeed(rule.does, question), { rule, question }),
    partOf("kind", matchKind(rule.kinds, question), { rule, question }),
    partOf("name", matchPatterns(rule.names, isBinding ? NOTHING : question.workload.name), { rule, question }),
    partOf("region", matchPatterns(rule.regions, question.workload.region), { rule, question }),
    partOf("account", matchPatterns(rule.accounts, isBinding ? NOTHING : question.account), { rule, question }),
  ];
  // Asking for a group may be a call to Slack: nobody asks for a rule that is about something else anyway.
  const { person } = question;
  const asked = matchOfParts(others) === "no" ? { ...question, person: { ...person, inGroup: nobodyAsked } } : question;
  return [partOf("who", matchWho(rule, asked), { rule, question: asked }), ...others];
}

/** What a binding is about where a rule asks for a name or an account: no pattern is like it but one for everything. */
const NOTHING = "";

const nobodyAsked = (): "unknown" => "unknown";

function partOf(of: Part["of"], match: Match, held: { readonly rule: Rule; readonly question: Question }): Part {
  const unknown = match === "unknown" ? unknownFact(of, held.rule, held.question) : undefined;
  return { of, match, why: unknown?.why ?? whyNot(of, held.rule, held.question), unknown };
}

/** What the rule wants, and what it is. */
function whyNot(of: Part["of"], rule: Rule, question: Question): string {
  const { workload, account, place, person } = question;
  const words: Readonly<Record<Part["of"], readonly [readonly string[] | undefined, string | undefined]>> = {
    who: [rule.who, whoInWords(person)],
    where: [rule.where, placeInWords(place)],
    does: [rule.does, `to ${deedInWords(question)}`],
    kind: [rule.kinds?.map((kind) => `${kind}s`), `a ${workload.kind}`],
    name: [rule.names, workload.name],
    region: [rule.regions, workload.region],
    account: [rule.accounts, account],
  };
  const isAboutNone = question.op === "bindChannel" && (of === "kind" || of === "name" || of === "account");
  const [wanted = [], is = ""] = isAboutNone ? [words[of][0], "a binding, which is about no workload"] : words[of];
  return `the rule is for ${wanted.join(", ")}; this is ${is}`;
}

/** Whether the rule matches as a whole. */
export function matchOfParts(parts: readonly Part[]): Match {
  return allOf(parts.map(({ match }) => match));
}

/** Bots and deactivated people never come here. A group is asked for only where nothing else in the list matches. */
function matchWho({ who }: Rule, { person }: Question): Match {
  const standing = `${person.standing}s`;
  if (who.some((word) => word === "everyone" || word === standing || word === person.userId)) return "yes";
  return anyOf(who.filter(isGroupId).map((group) => matchOf(person.inGroup(group))));
}

function matchWhere(where: Rule["where"], { place }: Question): Match {
  if (where === undefined) return "yes";
  return matchOf(
    where.some((word) => {
      if (word === "dm") return place.kind === "dm";
      return word === "channels" ? place.kind === "channel" : word === place.channelId;
    }),
  );
}

/**
 * Of a bare name nobody knows yet whether it is a service or a job, so the operation may be the other one as well:
 * then a rule matches only when it speaks of both.
 */
function matchDeed(does: readonly Deeds[], { op, risk, workload }: Question): Match {
  const { twin } = operationFacts[op];
  const meant = workload.kind === undefined && twin !== undefined ? [op, twin] : [op];
  const matches = meant.map((each) => anyOf(does.map((deeds) => matchOneDeed(deeds, each, risk))));
  if (matches.every((match) => match === "no")) return "no";
  return allOf(matches) === "yes" ? "yes" : "unknown";
}

function matchOneDeed(deeds: Deeds, op: ActionId, risk: Question["risk"]): Match {
  const isRead = operationFacts[op].effect === "read";
  if (deeds === "anything") return "yes";
  if (deeds === "read") return matchOf(isRead);
  if (deeds !== "routine" && deeds !== "disruptive" && deeds !== "destructive") return matchOf(deeds === op);
  if (isRead) return "no";
  return matchOf(risk === undefined ? "unknown" : risk === deeds);
}

function matchKind(kinds: Rule["kinds"], { op, workload }: Question): Match {
  if (kinds === undefined || (kinds.includes("service") && kinds.includes("job"))) return "yes";
  if (op === "bindChannel") return "no";
  return matchOf(workload.kind === undefined ? "unknown" : kinds.includes(workload.kind));
}

function matchPatterns(patterns: readonly string[] | undefined, name: string | undefined): Match {
  if (patterns === undefined || patterns.some(matchesEverything)) return "yes";
  return matchOf(name === undefined ? "unknown" : patterns.some((pattern) => matchesPattern(pattern, name)));
}

/** Whether something is so. `unknown` must open nothing: what would open does not match, what would refuse does. */
export type Match = "yes" | "no" | "unknown";

export function matchOf(isSo: boolean | "unknown"): Match {
  if (isSo === "unknown") return "unknown";
  return isSo ? "yes" : "no";
}

/** All of them are so; of none: yes. */
export function allOf(matches: readonly Match[]): Match {
  if (matches.includes("no")) return "no";
  return matches.includes("unknown") ? "unknown" : "yes";
}

/** At least one of them is so; of none: no. */
export function anyOf(matches: readonly Match[]): Match {
  if (matches.includes("yes")) return "yes";
  return matches.includes("unknown") ? "unknown" : "no";
}

/**
 * Whether a name is as a pattern has it: `*` stands for any characters, also none; all others for themselves, capitals
 * included. Works in steps bounded by both lengths, whatever the pattern is, unlike a regular expression.
 */
export function matchesPattern(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= name.length - last.length;
}

/** A pattern that every name matches. */
export function matchesEverything(pattern: string): boolean {
  return /^\*+$/u.test(pattern);
}

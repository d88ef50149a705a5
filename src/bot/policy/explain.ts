import type { parseArgs } from "node:util";
import type { Condition, Match, RuleCheck } from "./match.ts";
import type { Policy, Rule, Question, Verdict } from "./policy.ts";
import { fullActionText, imagesOf, limitText, sizeText, whereText, whoText, termsText } from "./wording.ts";
import { trace } from "./evaluate.ts";
import { typedMemory } from "../../api/memory.ts";
import { isActionId, operationFacts } from "./operation-facts.ts";
import { didYouMean } from "./near-names.ts";
import { isGroupId } from "./policy-words.ts";

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
    question: questionText(question),
    rules: checks.map((check) => explainCheck(check, question, check === decider)),
    verdict,
  };
}

function explainCheck({ rule, match, conditions }: RuleCheck, question: Question, decides: boolean): ExplainedRule {
  // Once a condition fails, unknown ones don't matter.
  const because = conditions
    .filter((condition) => match !== "yes" && condition.match === match)
    .map(({ of, unknown }) => `${of}: ${unknown?.why ?? whyNot(of, rule, question)}`);
  return { rule: rule.name, line: rule.line, end: rule.end.kind, match, decides, because };
}

/** The rule's value and the question's, after the name of the condition. */
function whyNot(of: Condition["of"], rule: Rule, question: Question): string {
  const { workload, account, where, person, footprint } = question;
  const words: Readonly<Record<Condition["of"], readonly [readonly string[] | undefined, string | undefined]>> = {
    who: [rule.who, whoText(person)],
    where: [rule.where, whereText(where)],
    does: [rule.does, `to ${fullActionText(question)}`],
    kind: [rule.kinds?.map((kind) => `${kind}s`), `a ${workload.kind}`],
    name: [rule.names, workload.name],
    region: [rule.regions, workload.region],
    account: [rule.accounts, account],
    image: [rule.images, imagesOf(footprint).join(" and ")],
    instances: [[limitText("instances", rule)], sizeText("instances", footprint)],
    memory: [[limitText("memory", rule)], sizeText("memory", footprint)],
    growth: [[limitText("growth", rule)], sizeText("growth", footprint)],
  };
  const isAboutNone = question.op === "bindChannel" && !["who", "where", "does", "region"].includes(of);
  const [wanted = [], is = ""] = isAboutNone ? [words[of][0], "a channel binding, which has no workload"] : words[of];
  return `the rule is for ${wanted.join(", ")}; this is ${is}`;
}

function questionText(question: Question): string {
  const { person, where, workload, account, breakGlass, footprint } = question;
  const sizes = [sizeText("growth", footprint), sizeText("memory", footprint)];
  const facts = [
    ...(workload.region === undefined ? [] : [`region ${workload.region}`]),
    ...(account === undefined ? [] : [`account ${account}`]),
    ...imagesOf(footprint).map((image) => `image ${image}`),
    ...sizes.filter((size) => size !== undefined),
    ...(breakGlass ? ["with --break-glass"] : []),
  ];
  const given = facts.length === 0 ? "" : `, ${facts.join(", ")}`;
  const who = person.name === person.userId ? `${whoText(person)},` : `${person.name} (${whoText(person)})`;
  return `May ${who} ${fullActionText(question)} in ${whereText(where)}${given}?`;
}

const matchWords = {
  yes: "matches, but doesn't decide",
  no: "doesn't match",
  unknown: "might match, so it allows nothing",
} as const;

/** Plain text for a terminal or a message. */
export function explanationLines({ source, question, rules, verdict }: Explanation): string[] {
  const looked = rules.flatMap(({ rule, line, end, match, decides, because }, at) => [
    `${at + 1}. “${rule}” (line ${line}, ${end}): ${decides ? "decides" : matchWords[match]}`,
    ...because.map((each) => `   ${each}`),
  ]);
  const none = rules.length === 0 ? ["No rule was checked."] : [];
  return [question, `By ${source}:`, ...looked, ...none, ...verdictLines(verdict)];
}

function verdictLines(verdict: Verdict): string[] {
  switch (verdict.kind) {
    case "allow":
      return ["Yes, immediately."];
    case "break-glass":
      return ["Yes, immediately with a reason. The channel sees it."];
    case "approve":
      return [`Yes, with ${termsText(verdict.terms)}.`];
    case "refuse":
      return [`No. ${verdict.why}`, verdict.next];
  }
}

const typed = { type: "string" } as const;

/** The options of `npm run policy -- explain`. */
export const questionOptions = {
  as: typed,
  standing: typed,
  in: typed,
  groups: typed,
  op: typed,
  does: typed,
  name: typed,
  kind: typed,
  region: typed,
  account: typed,
  image: typed,
  instances: typed,
  "instances-now": typed,
  memory: typed,
  "break-glass": { type: "boolean" },
} as const;
export type QuestionOptions = ReturnType<typeof parseArgs<{ options: typeof questionOptions }>>["values"];

/** An option is missing or wrong. */
export class QuestionError extends Error {
  override readonly name = "QuestionError";
}

const standings = ["member", "guest", "outsider", "bot", "deactivated"] as const;
const risks = ["routine", "disruptive", "destructive"] as const;
const kinds = ["service", "job"] as const;

/** Used without `--in`. No rule can name it. */
const SOME_CHANNEL = "C000000000";

/**
 * Throws a `QuestionError`. A missing option means unknown, except that the kind is the operation's, and the person is
 * in no group.
 */
export function questionFromOptions(typed: QuestionOptions): Question {
  const { as: userId = "U000000000", in: place = SOME_CHANNEL, name, region, account } = typed;
  const op = operation(typed.op);
  const kind = typed.kind === undefined ? operationFacts[op].kind : oneOf("--kind", kinds, typed.kind);
  if (!/^[UW][A-Z0-9]+$/u.test(userId))
    throw new QuestionError(`--as takes a user ID such as U0123ABCD, not “${userId}”.`);
  if (place !== "dm" && !/^[CG][A-Z0-9]+$/u.test(place)) {
    throw new QuestionError(`--in takes a channel ID such as C0123ABCD, or dm, not “${place}”.`);
  }
  return {
    person: {
      userId,
      name: userId,
      standing: oneOf("--standing", standings, typed.standing ?? "member"),
      inGroup: membership(typed.groups),
    },
    where: place === "dm" ? { kind: "dm", channelId: "D000000000" } : { kind: "channel", channelId: place },
    op,
    risk: riskOf(op, typed.does),
    workload: { kind, region, name },
    footprint: footprint(typed),
    account,
    breakGlass: typed["break-glass"] ?? false,
  };
}

function footprint({ op, image, instances, memory, ...typed }: QuestionOptions): Question["footprint"] {
  const [after, before] = [count("--instances", instances), count("--instances-now", typed["instances-now"])];
  if (image === undefined && after === undefined && memory === undefined) return undefined;
  const size = memory === undefined ? { mib: undefined } : typedMemory(memory);
  if ("problem" in size) throw new QuestionError(`--memory: ${size.problem}`);
  const now = op === "createService" ? 0 : (before ?? "unknown");
  return {
    containers: image === undefined && memory === undefined ? undefined : [{ image, memoryMiB: size.mib }],
    instances: after,
    ...(after !== undefined && { grownFrom: now }),
  };
}

function count(option: string, typed: string | undefined): number | undefined {
  if (typed === undefined || /^\d{1,9}$/u.test(typed)) return typed === undefined ? undefined : Number(typed);
  throw new QuestionError(`${option} takes a whole number, not “${typed}”.`);
}

function operation(op: string | undefined): Question["op"] {
  if (op === undefined) throw new QuestionError("--op is missing. Add an operation, such as --op deleteService.");
  if (isActionId(op)) return op;
  const known = Object.keys(operationFacts);
  throw new QuestionError(`Unknown operation “${op}”.${didYouMean(op, known)} Operations: ${known.join(", ")}.`);
}

function riskOf(op: Question["op"], does: string | undefined): Question["risk"] {
  const { effect, risk } = operationFacts[op];
  if (effect === "read") {
    if (does === undefined || does === "read") return undefined;
    throw new QuestionError(`${op} only reads. Leave --does out.`);
  }
  if (does !== undefined) return oneOf("--does", risks, does);
  if (risk !== undefined) return risk;
  // An update can have any of the three, so it has to be given.
  throw new QuestionError(`--does is missing. ${op} can be routine, disruptive or destructive.`);
}

function membership(groups: string | undefined): Question["person"]["inGroup"] {
  if (groups === "unknown") return () => "unknown";
  const ids = groups?.split(",").map((id) => id.trim()) ?? [];
  const wrong = ids.find((id) => !isGroupId(id));
  if (wrong !== undefined) {
    throw new QuestionError(`--groups takes IDs such as S0123ABCD,S0456EFGH, or unknown, not “${wrong}”.`);
  }
  return (group) => ids.includes(group);
}

function oneOf<Word extends string>(option: string, words: readonly Word[], typed: string): Word {
  const found = words.find((word) => word === typed);
  if (found !== undefined) return found;
  throw new QuestionError(`${option} takes ${words.join(", ")}, not “${typed}”.${didYouMean(typed, words)}`);
}

import { type ActionId, operationFacts } from "./operation-facts.ts";
import type { ContainerFacts, Footprint, RuleActions, Rule, Question } from "./policy.ts";
import { isGroupId } from "./policy-words.ts";
import { matchesEverything, matchesPattern, matchesImage } from "./patterns.ts";

/** One condition of a rule, compared with a question. */
export type Condition = {
  readonly of:
    | "who"
    | "where"
    | "does"
    | "kind"
    | "name"
    | "region"
    | "account"
    | "image"
    | "instances"
    | "memory"
    | "growth";
  readonly match: Match;
  /** Only when the match is unknown. */
  readonly unknown: UnknownFact | undefined;
};

/** One rule checked against a question, condition by condition. */
export type RuleCheck = {
  readonly rule: Rule;
  readonly match: Match;
  readonly conditions: readonly Condition[];
};

/** Compares every condition of a rule with a question. Pure. */
export function matchRule(rule: Rule, question: Question): readonly Condition[] {
  const isBinding = question.op === "bindChannel";
  const { images, limits: { instances, memoryMiB, growth } = {} } = rule;
  const others = [
    ...conditionOf("where", matchWhere(rule.where, question), rule, question),
    ...conditionOf("does", matchAction(rule.does, question), rule, question),
    ...conditionOf("kind", matchKind(rule.kinds, question), rule, question),
    ...conditionOf("name", matchPatterns(rule.names, isBinding ? NOTHING : question.workload.name), rule, question),
    ...conditionOf("region", matchPatterns(rule.regions, question.workload.region), rule, question),
    ...conditionOf("account", matchPatterns(rule.accounts, isBinding ? NOTHING : question.account), rule, question),
    ...conditionOf("image", images && matchImages(rule, question), rule, question),
    ...conditionOf("instances", limited(instances, question, matchInstances), rule, question),
    ...conditionOf("memory", limited(memoryMiB, question, matchMemory), rule, question),
    ...conditionOf("growth", limited(growth, question, matchGrowth), rule, question),
  ];
  // Group membership can cost a call to Slack, so it is only checked when everything else matches.
  const { person } = question;
  const asked =
    rule.who.some(isGroupId) && matchOfConditions(others) === "no"
      ? { ...question, person: { ...person, inGroup: notAsked } }
      : question;
  return [...conditionOf("who", matchWho(rule, asked), rule, asked), ...others];
}

/** The name and account of a binding: only a pattern that matches everything matches this. */
const NOTHING = "";

const notAsked = (): "unknown" => "unknown";

/** None where the rule says nothing about it. */
function conditionOf(of: Condition["of"], match: Match | undefined, rule: Rule, question: Question): Condition[] {
  if (match === undefined) return [];
  return [{ of, match, unknown: match === "unknown" ? unknownFact(of, rule, question) : undefined }];
}

function limited(most: number | undefined, question: Question, matches: (most: number, question: Question) => Match) {
  return most === undefined ? undefined : matches(most, question);
}

export function matchOfConditions(conditions: readonly Condition[]): Match {
  let all: Match = "yes";
  for (const { match } of conditions) {
    if (match === "no") return "no";
    if (match === "unknown") all = "unknown";
  }
  return all;
}

/** Every container has to run one of the images; to be refused, one is enough. */
function matchImages({ images = [], end }: Rule, question: Question): Match {
  if (!isAboutSize(question)) return "no";
  if (images.some(matchesEverything)) return "yes";
  const { containers = [] } = question.footprint ?? {};
  if (containers.length === 0) return "unknown";
  const matches = containers.map(({ image }) =>
    image === undefined ? "unknown" : anyOf(images.map((pattern) => matchOf(matchesImage(pattern, image)))),
  );
  return end.kind === "refuse" ? anyOf(matches) : allOf(matches);
}

function matchInstances(most: number, question: Question): Match {
  if (!isAboutSize(question)) return "no";
  const { instances } = question.footprint ?? {};
  return matchOf(instances === undefined ? "unknown" : instances <= most);
}

function matchMemory(mostMiB: number, question: Question): Match {
  if (!isAboutSize(question)) return "no";
  const { atLeastMiB, atMostMiB } = memoryOf(question.footprint);
  if (atLeastMiB > mostMiB) return "no";
  return matchOf(atMostMiB <= mostMiB || "unknown");
}

/** What one instance may use at once, with all its containers: the two differ where a limit isn't known. Without a limit it is infinite. */
export function memoryOf({ containers = [], instanceMiB }: Partial<Footprint> = {}) {
  const whole = instanceMiB || Infinity;
  return {
    atLeastMiB: Math.min(whole, mostAtOnce(containers, 0)),
    atMostMiB: Math.min(whole, containers.length === 0 ? Infinity : mostAtOnce(containers, Infinity)),
  };
}

/** https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers */
function mostAtOnce(containers: readonly ContainerFacts[], unknownMiB: number): number {
  let starting = 0;
  let sidecars = 0;
  let others = 0;
  for (const { memoryMiB, init } of containers) {
    const limit = memoryMiB === undefined ? unknownMiB : memoryMiB || Infinity;
    if (init === undefined) others += limit;
    else if (init === "runs on") sidecars += limit;
    else starting = Math.max(starting, sidecars + limit);
  }
  return Math.max(starting, sidecars + others);
}

/** Up to this many instances, no step is big. */
export const ALWAYS_SMALL = 10;

/** What keeps the number of instances grows nothing. */
function matchGrowth(times: number, { op, footprint }: Question): Match {
  if (op !== "createService" && op !== "updateService") return "yes";
  const { instances, grownFrom }: Partial<Footprint> = footprint ?? { grownFrom: "unknown" };
  if (grownFrom === undefined) return "yes";
  if (instances === undefined) return "unknown";
  if (instances <= ALWAYS_SMALL) return "yes";
  return matchOf(grownFrom === "unknown" ? "unknown" : instances <= times * grownFrom);
}

/** A read and a binding run nothing. */
function isAboutSize({ op }: Question): boolean {
  return operationFacts[op].effect === "write" && op !== "bindChannel";
}

/** Bots and deactivated people were refused before. Groups are looked up only if nothing else in the list matches. */
function matchWho({ who }: Rule, { person }: Question): Match {
  const standing = `${person.standing}s`;
  if (who.some((word) => word === "everyone" || word === standing || word === person.userId)) return "yes";
  return anyOf(who.filter(isGroupId).map((group) => matchOf(person.inGroup(group))));
}

function matchWhere(where: Rule["where"], { where: asked }: Question): Match {
  if (where === undefined) return "yes";
  return matchOf(
    where.some((word) => {
      if (word === "dm") return asked.kind === "dm";
      return word === "channels" ? asked.kind === "channel" : word === asked.channelId;
    }),
  );
}

/**
 * A bare name can turn out to be a service or a job, so the operation can be either of two: a rule matches only if it
 * covers both.
 */
function matchAction(does: readonly RuleActions[], { op, risk, workload }: Question): Match {
  const matchAs = (meant: ActionId): Match => anyOf(does.map((deeds) => matchOneAction(deeds, meant, risk)));
  const { twin } = operationFacts[op];
  const match = matchAs(op);
  return workload.kind !== undefined || twin === undefined || matchAs(twin) === match ? match : "unknown";
}

function matchOneAction(deeds: RuleActions, op: ActionId, risk: Question["risk"]): Match {
  const isRead = operationFacts[op].effect === "read";
  if (deeds === "anything") return "yes";
  if (deeds === "read") return matchOf(isRead);
  if (deeds !== "routine" && deeds !== "disruptive" && deeds !== "destructive")
    return matchOf(deeds === op || deeds === operationFacts[op].isA);
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

/** Fail closed: with `unknown`, allow rules do not match and refuse rules do. */
export type Match = "yes" | "no" | "unknown";

export function matchOf(isTrue: boolean | "unknown"): Match {
  if (isTrue === "unknown") return "unknown";
  return isTrue ? "yes" : "no";
}

/** An empty list is a yes. */
export function allOf(matches: readonly Match[]): Match {
  if (matches.includes("no")) return "no";
  return matches.includes("unknown") ? "unknown" : "yes";
}

/** An empty list is a no. */
export function anyOf(matches: readonly Match[]): Match {
  if (matches.includes("yes")) return "yes";
  return matches.includes("unknown") ? "unknown" : "no";
}

export type UnknownFact = {
  /** Completes a sentence. */
  readonly why: string;
  /** A sentence: how the person can supply it. */
  readonly next: string;
};

const kindOfOne = {
  why: "it isn't clear whether you mean a service or a job",
  next: "Write `service/NAME` or `job/NAME`.",
};
const kindOfList = { why: "this lists services and jobs together", next: "List only services or only jobs." };
const riskOfChange = { why: "the risk depends on the exact change", next: "Type the whole command." };
const nameOfOne = { why: "no workload is named", next: "Name the workload." };
const nameOfList = { why: "a list shows all names", next: "Show one workload by name." };

export function unknownFact(
  of: Condition["of"],
  rule: Rule,
  { op, workload, person, footprint }: Question,
): UnknownFact {
  const isList = operationFacts[op].verb === "list";
  const kind = isList ? kindOfList : kindOfOne;
  switch (of) {
    case "who": {
      const unknown = rule.who.filter((word) => isGroupId(word) && person.inGroup(word) === "unknown");
      return {
        why: `Slack didn't confirm whether you're in the user group ${unknown.join(" or ")}`,
        next: "Try again in a minute. If this keeps happening, contact your Gantry admin.",
      };
    }
    case "where":
      return { why: "the channel is unknown", next: "Ask in a channel." };
    case "does":
      return workload.kind === undefined && operationFacts[op].twin !== undefined ? kind : riskOfChange;
    case "kind":
      return kind;
    case "name":
      return isList ? nameOfList : nameOfOne;
    case "region":
      return { why: "no region is named", next: "Add `--region`." };
    case "account":
      return { why: "no account is connected", next: "Connect an account." };
    case "image":
      return unknownImage(footprint);
    case "instances":
    case "growth":
      return { why: "it isn't known how many instances it runs", next: askForRule };
    case "memory":
      return {
        why: "it isn't known how much memory it may use",
        next: operationFacts[op].verb === "create" ? "Add `--memory`." : askForRule,
      };
  }
}

const askForRule = "Ask your Gantry admin for a policy rule that doesn't depend on it.";

/** Of an image that is known, only a digest that a tag is compared with, or a malformed reference can't be judged. */
function unknownImage(footprint: Question["footprint"]): UnknownFact {
  const { containers = [] } = footprint ?? {};
  const images = containers.flatMap(({ image }) => (image === undefined ? [] : [image]));
  if (images.length === 0 || images.length < containers.length) {
    return { why: "it isn't known which image it runs", next: askForRule };
  }
  return {
    why: `the rule can't be compared with the image “${images.join("”, “")}”`,
    next: "Name the image as the rule does, by its tag or by its digest.",
  };
}

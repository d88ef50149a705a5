import { typedMemory } from "../../api/memory.ts";
import { isActionId, operationFacts } from "./operation-facts.ts";
import { didYouMean } from "./near-names.ts";
import { isGroupId } from "./policy-words.ts";
import type { Question } from "./policy.ts";

/** The options of `npm run policy -- explain`. */
export type QuestionOptions = {
  readonly as?: string | undefined;
  readonly standing?: string | undefined;
  readonly in?: string | undefined;
  readonly groups?: string | undefined;
  readonly op?: string | undefined;
  readonly does?: string | undefined;
  readonly name?: string | undefined;
  readonly kind?: string | undefined;
  readonly region?: string | undefined;
  readonly account?: string | undefined;
  readonly image?: string | undefined;
  readonly instances?: string | undefined;
  readonly "instances-now"?: string | undefined;
  readonly memory?: string | undefined;
  readonly "break-glass"?: boolean | undefined;
};

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

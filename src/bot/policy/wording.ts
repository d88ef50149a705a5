import { ALWAYS_SMALL, memoryOf } from "./match.ts";
import { operationFacts } from "./operation-facts.ts";
import type { Footprint, Person, Where, Question, Rule, Terms } from "./policy.ts";
import { durationText } from "./policy-words.ts";

const standingWords = {
  member: "a full member",
  guest: "a guest",
  outsider: "from another organization",
  bot: "a bot",
  deactivated: "deactivated",
} as const;

export function whoText({ userId, standing }: Person): string {
  return `${userId}, ${standingWords[standing]}`;
}

export function whereText({ kind, channelId }: Where): string {
  return kind === "dm" ? "a direct message with Gantry" : `channel ${channelId}`;
}

/** "delete “web”": follows "You can't". */
export function actionText({ op, workload: { kind, name } }: Question): string {
  const { verb } = operationFacts[op];
  if (op === "bindChannel") return "bind this channel";
  if (op === "watch" && name === "*") return "watch all workloads";
  if (verb === "list") return `list ${kind === undefined ? "workloads" : `${kind}s`}`;
  return `${verb} ${name === undefined ? `a ${kind ?? "workload"}` : `“${name}”`}`;
}

/** "delete service “web” (destructive)": with all facts that rules can name. */
export function fullActionText(question: Question): string {
  const { op, risk, workload } = question;
  const { kind, name } = workload;
  if (op === "bindChannel" || name === undefined || name === "*") return `${actionText(question)}${riskText(risk)}`;
  return `${operationFacts[op].verb} ${kind === undefined ? "" : `${kind} `}“${name}”${riskText(risk)}`;
}

function riskText(risk: Question["risk"]): string {
  return risk === undefined ? "" : ` (${risk})`;
}

/** "2 approvals from full members of the channel or user group S0ONCALL, within 1 hour; …". */
export function termsText({ votes, from, selfApproval, reasonRequired, expiresMs, cardIn }: Terms): string {
  const people = [
    ...(from.channelMembers ? ["full members of the channel"] : []),
    ...from.groups.map((group) => `user group ${group}`),
    ...from.users,
  ];
  return [
    `${votes} approval${votes === 1 ? "" : "s"} from ${people.join(" or ")}, within ${durationText(expiresMs)}`,
    selfApproval ? "the requester can approve" : "the requester can't approve",
    ...(reasonRequired ? ["a reason is required"] : []),
    ...(cardIn === undefined ? [] : [`the card goes to channel ${cardIn}`]),
  ].join("; ");
}

/** Those that are known. */
export function imagesOf(footprint: Footprint | undefined): string[] {
  return (footprint?.containers ?? []).flatMap(({ image }) => (image === undefined ? [] : [image]));
}

/** The sizes that a rule can limit. */
export type Size = "instances" | "memory" | "growth";

/** "30 instances"; "2 → 30 instances" as a step; undefined when it isn't known. */
export function sizeText(size: Size, footprint: Footprint | undefined): string | undefined {
  const { grownFrom } = footprint ?? {};
  if (size === "growth") {
    const after = sizeText("instances", footprint);
    return typeof grownFrom === "number" && grownFrom > 0 && after !== undefined ? `${grownFrom} → ${after}` : after;
  }
  if (size === "instances")
    return footprint?.instances === undefined ? undefined : amountText(size, footprint.instances);
  const { atLeastMiB } = memoryOf(footprint);
  return atLeastMiB === 0 ? undefined : amountText(size, atLeastMiB);
}

/** "up to 20 instances". */
export function limitText(size: Size, { limits }: Pick<Rule, "limits">): string {
  if (size === "growth") return `up to ${limits?.growth} times as many instances, or ${ALWAYS_SMALL}`;
  const most = size === "instances" ? limits?.instances : limits?.memoryMiB;
  return most === undefined ? "any size" : `up to ${amountText(size, most)}`;
}

function amountText(size: Size, amount: number): string {
  if (amount === Infinity) return "instances without a memory limit";
  if (size === "memory") return `${amount} MiB of memory for each instance`;
  return `${amount} instance${amount === 1 ? "" : "s"}`;
}

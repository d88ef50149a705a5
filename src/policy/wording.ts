import { operationFacts } from "./operation-facts.ts";
import type { Person, Where, Question } from "./question.ts";
import { durationText } from "./policy-words.ts";
import type { Terms } from "./verdict.ts";

const standingWords = {
  member: "a full member",
  guest: "a guest",
  outsider: "somebody of another organisation",
  bot: "a bot",
  deactivated: "deactivated",
} as const;

export function whoText({ userId, standing }: Person): string {
  return `${userId}, ${standingWords[standing]}`;
}

export function whereText({ kind, channelId }: Where): string {
  return kind === "dm" ? "the direct message with Gantry" : `the channel ${channelId}`;
}

/** "delete the service web (destructive)": what follows "No rule lets you". */
export function actionText({ op, risk, workload: { kind, name } }: Question): string {
  const { verb } = operationFacts[op];
  if (op === "bindChannel") return "bind this channel";
  if (verb === "list") return `list ${kind === undefined ? "workloads" : `${kind}s`}`;
  const thing = kind ?? "workload";
  const bare = kind === undefined ? `“${name}”` : `the ${kind} “${name}”`;
  const hurts = risk === undefined ? "" : ` (${risk})`;
  return `${verb} ${name === undefined ? `a ${thing}` : bare}${hurts}`;
}

/** "2 votes from full members of the channel or the user group S0ONCALL, within 1 hour; …". */
export function termsText({ votes, from, selfApproval, reasonRequired, expiresMs, cardIn }: Terms): string {
  const people = [
    ...(from.channelMembers ? ["full members of the channel"] : []),
    ...from.groups.map((group) => `the user group ${group}`),
    ...from.users,
  ];
  return [
    `${votes} vote${votes === 1 ? "" : "s"} from ${people.join(" or ")}, within ${durationText(expiresMs)}`,
    selfApproval ? "one's own vote counts" : "one's own vote does not count",
    ...(reasonRequired ? ["a reason has to be given"] : []),
    ...(cardIn === undefined ? [] : [`the card stands in the channel ${cardIn}`]),
  ].join("; ");
}

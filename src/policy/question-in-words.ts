import { operationFacts } from "./operation-facts.ts";
import type { Person } from "./person.ts";
import type { PolicyPlace, Question } from "./question.ts";

const standingWords = {
  member: "a full member",
  guest: "a guest",
  outsider: "somebody of another organisation",
  bot: "a bot",
  deactivated: "deactivated",
} as const;

export function whoInWords({ userId, standing }: Person): string {
  return `${userId}, ${standingWords[standing]}`;
}

export function placeInWords({ kind, channelId }: PolicyPlace): string {
  return kind === "dm" ? "the direct message with Gantry" : `the channel ${channelId}`;
}

/** "delete the service web (destructive)": what follows "No rule lets you". */
export function deedInWords({ op, risk, workload: { kind, name } }: Question): string {
  const { verb } = operationFacts[op];
  if (op === "bindChannel") return "bind this channel";
  if (verb === "list") return `list ${kind === undefined ? "workloads" : `${kind}s`}`;
  const thing = kind ?? "workload";
  const bare = kind === undefined ? `“${name}”` : `the ${kind} “${name}”`;
  const hurts = risk === undefined ? "" : ` (${risk})`;
  return `${verb} ${name === undefined ? `a ${thing}` : bare}${hurts}`;
}

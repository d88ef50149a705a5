import type { Part } from "./match-rule.ts";
import { operationFacts } from "./operation-facts.ts";
import type { Person } from "./person.ts";
import type { Question } from "./question.ts";
import type { Rule } from "./rule.ts";
import { isGroupId } from "./rule-words.ts";

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

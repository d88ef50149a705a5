import type { Policy } from "./policy.ts";
import type { Question } from "./question.ts";
import { follow } from "./trail.ts";
import type { Verdict } from "./verdict.ts";

/** What the policy says to a question. Pure and total; `explain` tells how it came to that. */
export function evaluate(policy: Policy, question: Question): Verdict {
  return follow(policy, question).verdict;
}

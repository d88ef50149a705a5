import { evaluate, evaluateAtBest } from "../../../../src/bot/policy/evaluate.ts";
import { readPolicy } from "../../../../src/bot/policy/read-policy.ts";
import { questionOf } from "../../policy/question-of.ts";
import type { Script } from "./script.ts";

/** What this policy says to Dana, a full member, in #ops. */
export function judgedBy(policyText: string): NonNullable<Script["permissions"]> {
  const policy = readPolicy(policyText, "policy.yaml");
  return (about, breakGlass, isAtBest) =>
    (isAtBest ? evaluateAtBest : evaluate)(policy, questionOf({ ...about, breakGlass }));
}

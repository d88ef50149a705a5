import { matchOfConditions, matchRule, type Condition } from "./match.ts";
import { type ActionId, operationFacts } from "./operation-facts.ts";
import type { Policy, Rule } from "./policy.ts";
import type { Question, Risk } from "./question.ts";
import { neverServed } from "./refusals.ts";

type Outcome = "allow" | "approve" | "refuse";
type Asker = Pick<Question, "person" | "where" | "account"> & { readonly breakGlass?: boolean };
type Action = { readonly op: ActionId; readonly risk: Risk | undefined };

/**
 * The best outcome of any of these actions on any workload, for help and lists of verbs. Facts about the asker that are
 * unknown allow nothing. Break-glass rules count only with `breakGlass`. No actions means no rule is needed. Pure.
 */
export function bestOutcome(policy: Policy, asker: Asker, deeds: readonly Action[]): Outcome {
  if (neverServed(asker.person) !== undefined) return "refuse";
  return deeds.length === 0 ? "allow" : bestOf(deeds.map((deed) => bestOf(outcomesOf(policy, asker, deed))));
}

/** The outcomes that some workload could have. */
function outcomesOf(policy: Policy, asker: Asker, { op, risk }: Action): Outcome[] {
  const workload = { kind: operationFacts[op].kind, region: undefined, name: undefined };
  const { breakGlass = false } = asker;
  const question: Question = { ...asker, op, risk, workload, breakGlass };
  const possible: Outcome[] = [];
  for (const rule of policy.rules) {
    if (rule.end.kind === "break-glass" && (!breakGlass || op === "bindChannel")) continue;
    const conditions = matchRule(rule, question);
    const ofAsker = matchOfConditions(conditions.filter(isOfAsker));
    const ofWorkload = matchOfConditions(conditions.filter((condition) => !isOfAsker(condition)));
    if (ofAsker === "no" || ofWorkload === "no") continue;
    const end = outcomeOf(rule, op, ofAsker === "unknown");
    if (end === undefined) continue;
    if (end !== "refuse") possible.push(end);
    if (ofWorkload === "yes") return possible;
  }
  return possible;
}

/** Like `evaluate`: an approval that might be required is never skipped, and a binding can't wait for one. */
function outcomeOf({ end }: Rule, op: ActionId, isUnsure: boolean): Outcome | undefined {
  if (end.kind === "allow" || end.kind === "break-glass") return isUnsure ? undefined : "allow";
  return end.kind === "approve" && !isUnsure && op !== "bindChannel" ? "approve" : "refuse";
}

function isOfAsker({ of }: Condition): boolean {
  return of === "who" || of === "where" || of === "account";
}

function bestOf(outlooks: readonly Outcome[]): Outcome {
  if (outlooks.includes("allow")) return "allow";
  return outlooks.includes("approve") ? "approve" : "refuse";
}

import { matchOfParts, matchRule, type Part } from "./match.ts";
import { type ActionId, operationFacts } from "./operation-facts.ts";
import type { Policy, Rule } from "./policy.ts";
import type { Question, Risk } from "./question.ts";
import { neverServed } from "./refusals.ts";

type Outlook = "allow" | "approve" | "refuse";
type Asker = Pick<Question, "person" | "place" | "account"> & { readonly breakGlass?: boolean };
type Deed = { readonly op: ActionId; readonly risk: Risk | undefined };

/**
 * The best that may come of any of these deeds, for the workload that suits best: what help shows. Who asks, where and
 * with which account is taken as it is; unknown facts allow nothing. Rules for breaking the glass count only
 * with `breakGlass`. Without a deed nobody needs a rule. Pure.
 */
export function outlook(policy: Policy, asker: Asker, deeds: readonly Deed[]): Outlook {
  if (neverServed(asker.person) !== undefined) return "refuse";
  return deeds.length === 0 ? "allow" : best(deeds.map((deed) => best(ends(policy, asker, deed))));
}

/** What may come of one deed, for one workload or another. */
function ends(policy: Policy, asker: Asker, { op, risk }: Deed): Outlook[] {
  const workload = { kind: operationFacts[op].kind, region: undefined, name: undefined };
  const { breakGlass = false } = asker;
  const question: Question = { ...asker, op, risk, workload, breakGlass };
  const possible: Outlook[] = [];
  for (const rule of policy.rules) {
    if (rule.end.kind === "break-glass" && (!breakGlass || op === "bindChannel")) continue;
    const parts = matchRule(rule, question);
    const ofAsker = matchOfParts(parts.filter(isOfAsker));
    const ofWorkload = matchOfParts(parts.filter((part) => !isOfAsker(part)));
    if (ofAsker === "no" || ofWorkload === "no") continue;
    const end = endFor(rule, op, ofAsker === "unknown");
    if (end === undefined) continue;
    if (end !== "refuse") possible.push(end);
    if (ofWorkload === "yes") return possible;
  }
  return possible;
}

/** As `judge` has it: an approval that may be needed is not skipped, another rule that may open does not; a binding waits for none. */
function endFor({ end }: Rule, op: ActionId, isUnsure: boolean): Outlook | undefined {
  if (end.kind === "allow" || end.kind === "break-glass") return isUnsure ? undefined : "allow";
  return end.kind === "approve" && !isUnsure && op !== "bindChannel" ? "approve" : "refuse";
}

function isOfAsker({ of }: Part): boolean {
  return of === "who" || of === "where" || of === "account";
}

function best(outlooks: readonly Outlook[]): Outlook {
  if (outlooks.includes("allow")) return "allow";
  return outlooks.includes("approve") ? "approve" : "refuse";
}

import { stat } from "node:fs/promises";
import type { PolicyFacts } from "../../health/facts.ts";
import { defaultPolicy, PolicyError } from "../../policy/read-policy.ts";
import type { Policy } from "../../policy/policy.ts";
import { policyTrouble, readPolicies } from "../policy-source.ts";
import { groupsIn } from "./stored-facts.ts";

/** The policy as the file says it now; the built-in one without a path. */
export async function policyInFile(path: string | undefined): Promise<PolicyFacts> {
  if (path === undefined) return policyFacts(defaultPolicy, undefined);
  const failure = await stat(path).then(() => undefined, codeOf);
  if (failure !== undefined)
    return { source: path, rules: 0, groups: [], problem: `${path} can't be read (${failure}).` };
  try {
    const policies = await readPolicies(path);
    return { ...policyFacts(policies.of(undefined), undefined), source: path, rules: policies.rules };
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return { source: path, rules: 0, groups: [], problem: policyTrouble(error) };
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

export function policyFacts({ source, rules }: Policy, problem: string | undefined): PolicyFacts {
  return { source, rules: rules.length, problem, groups: groupsIn(rules) };
}

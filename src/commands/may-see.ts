import { UserError } from "../errors.ts";
import type { Verdict } from "../policy/verdict.ts";
import type { About } from "./command.ts";
import type { Given } from "./verb.ts";

type Refusal = { readonly why: string; readonly next: string };

/** Why this may not be looked at, or undefined. Nobody can approve a look: what is not allowed is refused. */
export function refusalToSee(verdict: Verdict): Refusal | undefined {
  if (verdict.kind === "allow" || verdict.kind === "break-glass") return undefined;
  if (verdict.kind === "refuse") return verdict;
  return {
    why: `The rule “${verdict.rule}” wants an approval for this, and only changes can be approved.`,
    next: "Ask those who run Gantry here for a rule that allows or refuses it.",
  };
}

/**
 * Of a bare name it is not known before the read whether it is a service or a job, and jobs are in another region: what
 * was found is judged once more before it is shown. Throws a `UserError` for what may not be seen.
 */
export async function checkFound(about: About, { judge }: Pick<Given, "judge">): Promise<void> {
  const refusal = refusalToSee(await judge.verdict(about));
  if (refusal !== undefined) throw new UserError(refusal.why, { next: refusal.next });
}

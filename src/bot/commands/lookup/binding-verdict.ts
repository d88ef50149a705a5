import type { Binding } from "../../policy/binding.ts";
import type { Verdict } from "../../policy/policy.ts";
import type { Risk } from "../../policy/operation-facts.ts";
import type { BindingWish, Context } from "../command.ts";

type Now = Pick<Context, "defaultRegion"> & {
  readonly binding: Binding | undefined;
  readonly asker: { readonly userId: string };
  readonly permissions: Pick<Context["permissions"], "verdict">;
};

export type BindingVerdict = { readonly risk: Risk; readonly verdict: Verdict };

/**
 * Asks policy whether a channel may be bound: about the new region and, when that changes or lifts a lock, about the
 * locked region. Without a region, the configured one counts. Changing another person's lock is destructive, so by the
 * default policy only the person who locked a channel can unlock it.
 */
export async function bindingVerdict(
  wish: BindingWish,
  { binding, defaultRegion, asker, permissions }: Now,
): Promise<BindingVerdict> {
  const ask = (region = defaultRegion, risk: Risk = "routine"): Promise<Verdict> =>
    permissions.verdict({ op: "bindChannel", risk, workload: { kind: undefined, region, name: undefined } });
  if (wish.kind === "bind") {
    const verdict = await ask(wish.terms.region);
    if (verdict.kind !== "allow" || binding?.isLocked !== true) return { risk: "routine", verdict };
  }
  const isOthersLock = binding?.isLocked === true && binding.boundBy.userId !== asker.userId;
  if (wish.kind === "show" || !isOthersLock) return { risk: "routine", verdict: await ask(binding?.region) };
  const verdict = await ask(binding.region, "destructive");
  return { risk: "destructive", verdict: verdict.kind === "refuse" ? lockStays(verdict, binding) : verdict };
}

function lockStays(refusal: Extract<Verdict, { kind: "refuse" }>, { boundBy: { name } }: Binding): Verdict {
  return {
    ...refusal,
    why: `${name} locked this channel. Only ${name}, or a person allowed by a policy rule, can change that.`,
    next: `Ask ${name}, or ask your Gantry admin for a rule that allows bindChannel.`,
  };
}

import { matchesPattern } from "./patterns.ts";
import type { Question } from "./policy.ts";

/** The terms of a channel's binding; at least one of the first three is set. */
export type BindingTerms = {
  /** The default region of services there. Jobs are always in one region. */
  readonly region?: string | undefined;
  /** The username of the account that Gantry uses there. */
  readonly account?: string | undefined;
  /** A pattern with `*`: only matching workloads are listed and suggested. */
  readonly names?: string | undefined;
  /** Refuses other regions, and names that don't match. */
  readonly isLocked: boolean;
};

/** A channel's current binding and who made it. */
export type Binding = BindingTerms & {
  readonly boundBy: { readonly userId: string; readonly name: string };
  readonly boundAt: Date;
};

export function coversName({ names }: Pick<BindingTerms, "names">, name: string): boolean {
  return names === undefined || matchesPattern(names, name);
}

/** "region beijing1, names shop-*, locked". */
export function bindingInWords({ region, account, names, isLocked }: BindingTerms): string {
  return [
    ...(region === undefined ? [] : [`region ${region}`]),
    ...(names === undefined ? [] : [`names ${names}`]),
    ...(account === undefined ? [] : [`account ${account}`]),
    ...(isLocked ? ["locked"] : []),
  ].join(", ");
}

type Outside = { readonly why: string; readonly next: string };

/**
 * Why a locked binding refuses a workload; undefined when it doesn't. An unknown name or region isn't refused: a list
 * has neither. Pure.
 */
export function outsideLock(binding: Binding, workload: Question["workload"]): Outside | undefined {
  if (!binding.isLocked) return undefined;
  const { kind, region, name } = workload;
  const isElsewhere = kind !== "job" && region !== undefined && binding.region !== undefined;
  if (isElsewhere && region !== binding.region) {
    return outside(binding, `region ${binding.region}. This request is for “${region}”.`);
  }
  if (name === undefined || coversName(binding, name)) return undefined;
  return outside(binding, `the names ${binding.names}. “${name}” doesn't match.`);
}

function outside({ boundBy }: Binding, to: string): Outside {
  return {
    why: `${boundBy.name} locked this channel to ${to}`,
    next: "Request it in another channel. To see or change the binding: `/gantry use`",
  };
}

import { matchesPattern } from "./match.ts";
import type { Question } from "./question.ts";

/** What a channel is bound to; at least one of the first three is said. */
export type BindingTerms = {
  /** Of services: implied there where nobody types another one. Jobs are always in one region. */
  readonly region?: string | undefined;
  /** The user name of the account that Gantry acts with there. */
  readonly account?: string | undefined;
  /** A pattern in which `*` stands for any characters: only these are listed and suggested. */
  readonly names?: string | undefined;
  /** Whether another region, or a name that is not as the pattern has it, is refused there. */
  readonly isLocked: boolean;
};

/** A channel's binding as it stands, and who made it. */
export type Binding = BindingTerms & {
  readonly boundBy: { readonly userId: string; readonly name: string };
  readonly boundAt: Date;
};

/** Whether a binding is about workloads of this name. Pure. */
export function coversName({ names }: Pick<BindingTerms, "names">, name: string): boolean {
  return names === undefined || matchesPattern(names, name);
}

/** "region beijing1, names shop-*, locked": as part of a sentence. */
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
 * Why a workload has no place in a channel with this binding; undefined when it has, and always when it is not locked.
 * What is not known of it (the name of a list, the region) is not refused. Pure.
 */
export function outsideLock(binding: Binding, workload: Question["workload"]): Outside | undefined {
  if (!binding.isLocked) return undefined;
  const { kind, region, name } = workload;
  const isElsewhere = kind !== "job" && region !== undefined && binding.region !== undefined;
  if (isElsewhere && region !== binding.region) {
    return outside(binding, `region ${binding.region}`, `this is about region ${region}`);
  }
  if (name === undefined || coversName(binding, name)) return undefined;
  return outside(binding, `names like ${binding.names}`, `${name} is not one`);
}

function outside({ boundBy }: Binding, to: string, is: string): Outside {
  return {
    why: `${boundBy.name} locked this channel to ${to}, and ${is}.`,
    next: "Ask for it in another channel. Type use to see what this one is bound to; who may bind it can change that with use.",
  };
}

import { operationFacts } from "../../policy/operation-facts.ts";
import type { Verdict } from "../../policy/policy.ts";
import type { Action, Command, Context } from "../command.ts";
import { regionOf, type Regions } from "../grammar/target.ts";

type Aim = {
  readonly kind: "service" | "job" | undefined;
  readonly name: string;
  /** The region of services. */
  readonly region: string;
  readonly breakGlass?: boolean;
};

/** Best first, for the person who asks. */
const rank: Readonly<Record<Verdict["kind"], number>> = { allow: 0, "break-glass": 1, approve: 2, refuse: 3 };

/** The better of two verdicts; the first if they are equal. */
export function betterVerdict(one: Verdict, other: Verdict): Verdict {
  return rank[other.kind] < rank[one.kind] ? other : one;
}

export function kindOf({ op }: Pick<Action, "op">): "service" | "job" | undefined {
  return operationFacts[op].kind;
}

/** Whose rights, and where jobs run. */
export type Permitted = Pick<Context, "permissions"> & { readonly settings: Pick<Regions, "jobsRegion"> };

/**
 * Policy's best verdict on anything this verb can do with the workload. Without a kind, both kinds count. Undefined
 * when the verb doesn't work on the kind. Makes no API call.
 */
export async function bestVerdict(
  { actions }: Pick<Command, "actions">,
  { kind: wanted, name, region, breakGlass = false }: Aim,
  { permissions, settings }: Permitted,
): Promise<Verdict | undefined> {
  const possible = actions.filter((action) => wanted === undefined || kindOf(action) === wanted);
  const verdicts = await Promise.all(
    possible.map((action) => {
      const kind = kindOf(action);
      return permissions.verdict(
        { ...action, workload: { kind, region: regionOf(kind, region, settings), name } },
        { breakGlass },
      );
    }),
  );
  const [first, ...rest] = verdicts;
  return first === undefined ? undefined : rest.reduce(betterVerdict, first);
}

import type { Verdict } from "../../policy/verdict.ts";
import type { Command, Context, Action } from "../command.ts";
import { JOB_REGION } from "../grammar/target.ts";

type Aim = {
  readonly kind: "service" | "job" | undefined;
  readonly name: string;
  /** Of services. */
  readonly region: string;
  readonly breakGlass?: boolean;
};

/** Best first, for the person who asks. */
const rank: Readonly<Record<Verdict["kind"], number>> = { allow: 0, "break-glass": 1, approve: 2, refuse: 3 };

/** The better of two verdicts; the first if they are equal. */
export function better(one: Verdict, other: Verdict): Verdict {
  return rank[other.kind] < rank[one.kind] ? other : one;
}

export function kindOf({ op }: Action): "service" | "job" {
  return /Jobs?|JobInstance/u.test(op) ? "job" : "service";
}

/**
 * Policy's best verdict on anything this verb can do with the workload. Without a kind, both kinds count. Undefined
 * when the verb doesn't work on the kind. Makes no API call.
 */
export async function bestFor(
  { actions }: Pick<Command, "actions">,
  { kind, name, region, breakGlass = false }: Aim,
  { permissions }: Pick<Context, "permissions">,
): Promise<Verdict | undefined> {
  const possible = actions.filter((deed) => kind === undefined || kindOf(deed) === kind);
  const verdicts = await Promise.all(
    possible.map((deed) => {
      const of = kindOf(deed);
      const workload = { kind: of, region: of === "job" ? JOB_REGION : region, name };
      return permissions.verdict({ ...deed, workload }, { breakGlass });
    }),
  );
  const [first, ...rest] = verdicts;
  return first === undefined ? undefined : rest.reduce(better, first);
}

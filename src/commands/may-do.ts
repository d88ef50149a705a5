import type { Verdict } from "../policy/verdict.ts";
import type { Command, Context, Deed } from "./command.ts";
import { JOB_REGION } from "./target.ts";

type Aim = {
  readonly kind: "service" | "job" | undefined;
  readonly name: string;
  /** Of services. */
  readonly region: string;
  readonly breakGlass?: boolean;
};

/** From best to worst for the person who asks. */
const rank: Readonly<Record<Verdict["kind"], number>> = { allow: 0, "break-glass": 1, approve: 2, refuse: 3 };

/** The better of two verdicts; the first where they are equal. */
export function better(one: Verdict, other: Verdict): Verdict {
  return rank[other.kind] < rank[one.kind] ? other : one;
}

export function kindOf({ op }: Deed): "service" | "job" {
  return /Jobs?|JobInstance/u.test(op) ? "job" : "service";
}

/**
 * The best that policy says to anything the verb can do with this workload. Without a kind either may be meant.
 * Undefined where the verb can do nothing with the kind. Takes no API call.
 */
export async function bestFor(
  { deeds }: Pick<Command, "deeds">,
  { kind, name, region, breakGlass = false }: Aim,
  { judge }: Pick<Context, "judge">,
): Promise<Verdict | undefined> {
  const possible = deeds.filter((deed) => kind === undefined || kindOf(deed) === kind);
  const verdicts = await Promise.all(
    possible.map((deed) => {
      const of = kindOf(deed);
      const workload = { kind: of, region: of === "job" ? JOB_REGION : region, name };
      return judge.verdict({ ...deed, workload }, { breakGlass });
    }),
  );
  const [first, ...rest] = verdicts;
  return first === undefined ? undefined : rest.reduce(better, first);
}

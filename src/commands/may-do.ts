import type { Verdict } from "../policy/verdict.ts";
import type { Command, Context } from "./command.ts";
import type { FormValues } from "./form.ts";
import { JOB_REGION } from "./lookup.ts";
import { Target } from "./target.ts";

type Judged = Pick<Context, "judge" | "settings">;
type Workload = { readonly kind: "service" | "job" | undefined; readonly name: string };

/** How well it stands with a verdict: what is refused comes last. */
const rank: Readonly<Record<Verdict["kind"], number>> = { allow: 0, "break-glass": 1, approve: 2, refuse: 3 };

/**
 * The best that policy says to what a verb can do with this workload, whichever way it is done; undefined for a verb for
 * which nobody needs a rule. It takes no call of the service.
 */
export async function bestFor(
  { deeds }: Pick<Command, "deeds">,
  { kind, name, region = "" }: Workload & { readonly region?: string },
  { judge }: Pick<Context, "judge">,
): Promise<Verdict | undefined> {
  const possible = deeds.filter(({ op }) => kind === undefined || /Jobs?|JobInstance/u.test(op) === (kind === "job"));
  const verdicts = await Promise.all(
    possible.map(({ op, risk }) => {
      const isJob = kind === "job";
      return judge.verdict({ op, risk, workload: { kind, region: isJob ? JOB_REGION : region, name } });
    }),
  );
  return verdicts.toSorted((one, other) => rank[one.kind] - rank[other.kind])[0];
}

/** The same for what stands in a form; undefined as long as no workload is named in it. */
export async function bestVerdict(
  command: Pick<Command, "deeds">,
  values: FormValues,
  context: Judged,
): Promise<Verdict | undefined> {
  const target = Target.safeParse(values["name"]).data;
  if (target === undefined) return undefined;
  const kind = values["kind"] === "service" || values["kind"] === "job" ? values["kind"] : target.kind;
  return bestFor(command, { ...target, kind, region: values["region"] ?? context.settings.region }, context);
}

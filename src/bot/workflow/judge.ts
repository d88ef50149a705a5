import type { Change } from "../changes/change.ts";
import type { Ask } from "../ask.ts";
import type { Context, WriteCommand } from "../commands/command.ts";
import { severalOf } from "../commands/grammar/several.ts";
import { proposeChange, type Refused } from "../commands/lookup/authorize.ts";
import { asksFor } from "../commands/lookup/matching-workloads.ts";
import type { Proposed } from "./draft.ts";
import { type LeftOut, proposeParts } from "./several/propose-parts.ts";

type Asked = { readonly command: WriteCommand; readonly context: Context };

type Judged =
  | (Refused & { readonly kind: "refused" })
  | { readonly kind: "nothing"; readonly changes: readonly Change[] }
  /** The workload API would refuse all that there is to do. */
  | { readonly kind: "impossible"; readonly leftOut: readonly LeftOut[] }
  | ({ readonly kind: "proposed" } & Pick<Proposed, "ask" | "change" | "several" | "risk" | "verdict">);

/** What the request would do. Several names or a pattern may turn out to be one workload. */
export async function judge({ command, context }: Asked, ask: Ask): Promise<Judged> {
  const wanted = severalOf(ask);
  const asks = wanted === undefined ? [ask] : await asksFor({ command, ask, wanted }, context);
  const [only = ask, ...others] = asks;
  if (others.length > 0) return judgeSeveral({ command, context }, ask, asks);
  const proposal = await proposeChange(command, only, context);
  if (proposal.kind === "refused") return proposal;
  if (proposal.kind === "impossible") return { kind: "impossible", leftOut: [proposal] };
  const { change, about, verdict } = proposal;
  if (change.diff.length === 0) return { kind: "nothing", changes: [change] };
  return { kind: "proposed", ask: only, change, risk: about.risk, verdict };
}

async function judgeSeveral({ command, context }: Asked, ask: Ask, asks: readonly Ask[]): Promise<Judged> {
  const proposal = await proposeParts(command, asks, context);
  if (proposal.kind !== "proposed") return proposal;
  const { parts, leftOut, risk, verdict } = proposal;
  const [{ change }, ...others] = parts;
  if (others.length === 0 && leftOut.length === 0)
    return { kind: "proposed", ask: askFor(ask, [change]), change, risk, verdict };
  const names = askFor(
    ask,
    parts.map((part) => part.change),
  );
  return { kind: "proposed", ask: names, change, several: { parts, leftOut }, risk, verdict };
}

/** A button that repeats it is about these workloads, not about what else a pattern would match by then. */
function askFor(ask: Ask, changes: readonly Change[]): Ask {
  const [only = "", ...others] = changes.map(({ workload: { kind, name } }) => `${kind}/${name}`);
  return { ...ask, args: others.length === 0 ? { name: only } : { names: [only, ...others] } };
}

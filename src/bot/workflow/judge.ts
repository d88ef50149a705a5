import type { Change } from "../changes/change.ts";
import type { Ask } from "../ask.ts";
import type { Context, WriteCommand } from "../commands/command.ts";
import { severalOf } from "../commands/grammar/several.ts";
import { proposeChange, type Refused, type Proposal } from "../commands/lookup/authorize.ts";
import { asksFor } from "../commands/lookup/matching-workloads.ts";
import type { LeftOut, Proposed, PartProposal } from "./draft.ts";
import { UserError } from "../errors.ts";
import type { Risk } from "../policy/operation-facts.ts";
import { strictest } from "../policy/evaluate.ts";

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

type Found = Exclude<Proposal, { readonly kind: "refused" }>;

type SeveralProposal =
  | Extract<Proposal, { readonly kind: "refused" }>
  /** Each of them is already as requested. */
  | { readonly kind: "nothing"; readonly changes: readonly Change[] }
  /** The workload API would refuse all that aren't, at least one. */
  | { readonly kind: "impossible"; readonly leftOut: readonly LeftOut[] }
  | {
      readonly kind: "proposed";
      readonly parts: readonly [PartProposal, ...PartProposal[]];
      readonly leftOut: readonly LeftOut[];
      readonly risk: Risk;
      readonly verdict: Extract<Proposal, { readonly kind: "proposed" }>["verdict"];
    };

/**
 * One proposal for several workloads: policy has to allow every part, and the strictest terms count. Throws what
 * `proposeChange` throws for the first workload that can't be proposed, and a `UserError` when no approval could
 * satisfy all of them.
 */
async function proposeParts(command: WriteCommand, asks: readonly Ask[], context: Context): Promise<SeveralProposal> {
  const settled = await Promise.allSettled(asks.map((ask) => proposeChange(command, ask, context)));
  const proposals: Found[] = [];
  for (const each of settled) {
    // In the order in which they were named, whichever failed first.
    if (each.status === "rejected") throw each.reason;
    if (each.value.kind === "refused") return each.value;
    proposals.push(each.value);
  }
  return combined(distinct(proposals));
}

/** `web` and `service/web` are one workload. */
function distinct(proposals: readonly Found[]): readonly Found[] {
  return [...new Map(proposals.map((each) => [keyOf(each), each])).values()];
}

function keyOf({ change: { workload } }: Found): string {
  return JSON.stringify([workload.kind, workload.region, workload.name]);
}

function combined(proposals: readonly Found[]): SeveralProposal {
  const changes = proposals.flatMap((each) => (each.kind === "proposed" && each.change.diff.length > 0 ? [each] : []));
  const leftOut = proposals
    .filter((each) => each.kind === "impossible" || each.change.diff.length === 0)
    .map((each) => ({ change: each.change, why: each.kind === "impossible" ? each.why : undefined }));
  const [first, ...others] = changes.map(({ change, about }) => ({ change, risk: about.risk }));
  if (first === undefined && leftOut.some(({ why }) => why !== undefined)) return { kind: "impossible", leftOut };
  if (first === undefined) return { kind: "nothing", changes: leftOut.map(({ change }) => change) };
  const verdict = strictest(changes.map((each) => each.verdict));
  if (verdict === "split" || verdict.kind === "refuse") {
    throw new UserError(
      "These workloads need different approvals, so one request can't hold them. Nothing was changed.",
      {
        next: "Request them one by one.",
      },
    );
  }
  const parts = [first, ...others] as const; // not empty
  return { kind: "proposed", parts, leftOut, risk: highest(parts), verdict };
}

const risks: readonly Risk[] = ["destructive", "disruptive"];

function highest(parts: readonly PartProposal[]): Risk {
  return risks.find((each) => parts.some(({ risk }) => risk === each)) ?? "routine";
}

import type { Change } from "../../changes/change.ts";
import { type Proposal, proposeChange } from "../../commands/lookup/authorize.ts";
import type { Ask } from "../../ask.ts";
import type { Context, WriteCommand } from "../../commands/command.ts";
import { UserError } from "../../errors.ts";
import type { Risk } from "../../policy/operation-facts.ts";
import { strictest } from "../../policy/evaluate.ts";

type Refused = Extract<Proposal, { readonly kind: "refused" }>;
type Proposed = Extract<Proposal, { readonly kind: "proposed" }>;
type Found = Exclude<Proposal, Refused>;

/** `why`: of one that the workload API would refuse; undefined for one that is as requested already. */
export type LeftOut = { readonly change: Change; readonly why?: string | undefined };

export type PartProposal = { readonly change: Change; readonly risk: Risk };

export type SeveralProposal =
  | Refused
  /** Each of them is already as requested. */
  | { readonly kind: "nothing"; readonly changes: readonly Change[] }
  /** The workload API would refuse all that aren't, at least one. */
  | { readonly kind: "impossible"; readonly leftOut: readonly LeftOut[] }
  | {
      readonly kind: "proposed";
      readonly parts: readonly [PartProposal, ...PartProposal[]];
      readonly leftOut: readonly LeftOut[];
      readonly risk: Risk;
      readonly verdict: Proposed["verdict"];
    };

/**
 * One proposal for several workloads: policy has to allow every part, and the strictest terms count. Throws what
 * `proposeChange` throws for the first workload that can't be proposed, and a `UserError` when no approval could
 * satisfy all of them.
 */
export async function proposeParts(
  command: WriteCommand,
  asks: readonly Ask[],
  context: Context,
): Promise<SeveralProposal> {
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

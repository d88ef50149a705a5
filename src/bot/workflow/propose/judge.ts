import type { Change } from "../../changes/change.ts";
import type { Ask } from "../../ask.ts";
import type { Context, WriteCommand } from "../../commands/command.ts";
import { askAbout, severalOf } from "../../commands/grammar/several.ts";
import { proposeChange, type Refused, type Proposal } from "../../commands/lookup/authorize.ts";
import { asksFor } from "../../commands/lookup/matching-workloads.ts";
import type { LeftOut, Proposed } from "./draft.ts";
import { nameIn } from "../stored-request.ts";
import { UserError } from "../../errors.ts";
import type { Risk } from "../../policy/operation-facts.ts";
import { strictest } from "../../policy/evaluate.ts";

type WriteInContext = { readonly command: WriteCommand; readonly context: Context };

type Judged =
  | (Refused & { readonly kind: "refused" })
  | { readonly kind: "nothing"; readonly changes: readonly Change[] }
  /** The workload API would refuse all that there is to do. */
  | { readonly kind: "impossible"; readonly leftOut: readonly LeftOut[] }
  | ({
      readonly kind: "proposed";
      /** What it takes back of other people, a line each. */
      readonly ofOthers: readonly string[];
    } & Pick<Proposed, "ask" | "change" | "several" | "risk" | "verdict">);

/** What the request would do. Several names or a pattern may turn out to be one workload. */
export async function judge({ command, context }: WriteInContext, ask: Ask): Promise<Judged> {
  const wanted = severalOf(ask);
  await command.checkAsk?.(ask, context);
  const asks = wanted === undefined ? [ask] : await asksFor({ command, ask, wanted }, context);
  const [only = ask, ...others] = asks;
  if (others.length > 0) return judgeSeveral({ command, context }, ask, asks);
  const proposal = await proposeChange(command, only, context);
  if (proposal.kind === "refused") return proposal;
  if (proposal.kind === "impossible") return { kind: "impossible", leftOut: [proposal] };
  const { change, about, verdict, ofOthers } = proposal;
  if (change.diff.length === 0) return { kind: "nothing", changes: [change] };
  return { kind: "proposed", ask: only, change, risk: about.risk, verdict, ofOthers };
}

type Found = Exclude<Proposal, { readonly kind: "refused" }>;

const risks: readonly Risk[] = ["destructive", "disruptive"];

/**
 * One proposal for several workloads: policy has to allow every part, and the strictest terms count. Throws what
 * `proposeChange` throws for the first workload that can't be proposed, and a `UserError` when no approval could
 * satisfy all of them.
 */
async function judgeSeveral({ command, context }: WriteInContext, ask: Ask, asks: readonly Ask[]): Promise<Judged> {
  const settled = await Promise.allSettled(asks.map((each) => proposeChange(command, each, context)));
  // `web` and `service/web` are one workload.
  const found = new Map<string, Found>();
  for (const each of settled) {
    // In the order in which they were named, whichever failed first.
    if (each.status === "rejected") throw each.reason;
    if (each.value.kind === "refused") return each.value;
    const { kind, region, name } = each.value.change.workload;
    found.set(JSON.stringify([kind, region, name]), each.value);
  }
  const proposals = [...found.values()];
  const changes = proposals.flatMap((each) => (each.kind === "proposed" && each.change.diff.length > 0 ? [each] : []));
  const leftOut = proposals
    .filter((each) => each.kind === "impossible" || each.change.diff.length === 0)
    .map((each) => ({ change: each.change, why: each.kind === "impossible" ? each.why : undefined }));
  const parts = changes.map(({ change, about }) => ({ change, risk: about.risk }));
  const [first] = parts;
  if (first === undefined && leftOut.some(({ why }) => why !== undefined)) return { kind: "impossible", leftOut };
  if (first === undefined) return { kind: "nothing", changes: leftOut.map(({ change }) => change) };
  const verdict = strictest(changes.map((each) => each.verdict));
  if (verdict === "split" || verdict.kind === "refuse") {
    throw new UserError(
      "These workloads need different approvals, so one request can't hold them. Nothing was changed.",
      { next: "Request them one by one." },
    );
  }
  const isOne = parts.length === 1 && leftOut.length === 0;
  return {
    kind: "proposed",
    ask: askFor(
      ask,
      changes.map(({ change }) => change),
    ),
    change: first.change,
    ...(!isOne && { several: { parts, leftOut } }),
    risk: risks.find((each) => parts.some(({ risk }) => risk === each)) ?? "routine",
    verdict,
    ofOthers: changes.flatMap(({ change, ofOthers }) => ofOthers.map((line) => `${change.workload.name}: ${line}`)),
  };
}

/** Replaces a pattern by names: a button that repeats the request must not reach workloads that match later. */
function askFor(ask: Ask, changes: readonly Change[]): Ask {
  const [only = "", ...others] = changes.map(nameIn);
  return others.length === 0 ? askAbout(ask, only) : { ...ask, args: { ...ask.args, names: [only, ...others] } };
}

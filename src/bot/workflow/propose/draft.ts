import { randomBytes } from "node:crypto";
import type { OpenAccount } from "../../accounts/resolve.ts";
import type { Sealer } from "../../accounts/seal.ts";
import type { Change } from "../../changes/change.ts";
import { partId, type Who } from "../../changes/stored-change.ts";
import type { Ask } from "../../ask.ts";
import type { Context, WriteCommand } from "../../commands/command.ts";
import { newChangeId } from "../../commands/grammar/argument-types.ts";
import type { Verdict } from "../../policy/policy.ts";
import type { Risk } from "../../policy/operation-facts.ts";
import type { EventSubject } from "../history.ts";
import type { Origin } from "../origin.ts";
import type { NewChange } from "../stored.ts";
import { type Content, nameIn, sealContent, staysIfStuck } from "../stored-request.ts";
import { digestOf } from "../../changes/drift.ts";
import { askAbout, severalOf } from "../../commands/grammar/several.ts";
import { type Proposal, proposeChange, type Refused } from "../../commands/lookup/authorize.ts";
import { asksFor } from "../../commands/lookup/named-workloads.ts";
import { UserError } from "../../errors.ts";
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

/** A request that was read, diffed and allowed by policy. */
export type Proposed = {
  readonly deliveryId: string;
  readonly ask: Ask;
  readonly origin: Origin;
  readonly undoOf: string | undefined;
  readonly command: WriteCommand;
  readonly context: Context;
  readonly account: OpenAccount;
  /** Of several workloads, the first one. */
  readonly change: Change;
  readonly risk: Risk;
  readonly several?: Several | undefined;
  /** The card is the only answer, so a stored Change that needs no approval is all that is left to do. */
  readonly isAnsweredByCard: boolean;
  readonly verdict: Exclude<Verdict, { kind: "refuse" }>;
};

/** `why`: of one that the workload API would refuse; undefined for one that is as requested already. */
export type LeftOut = { readonly change: Change; readonly why?: string | undefined };

export type PartProposal = { readonly change: Change; readonly risk: Risk };

type Several = { readonly parts: readonly PartProposal[]; readonly leftOut: readonly LeftOut[] };

export function requesterOf({ context }: Pick<Proposed, "context">): Who {
  const { userId, name } = context.asker;
  return { userId, name };
}

/** The columns of its history, whether it is refused or becomes a Change. */
export function subjectOf({ origin, command, context, change, verdict }: Proposed): Omit<EventSubject, "id"> {
  const { owner, username } = context.account;
  return {
    teamId: origin.teamId,
    channelId: origin.channelId,
    verb: command.name,
    workload: change.workload,
    account: { owner, username },
    rule: verdict.rule ?? "",
    breakGlass: verdict.kind === "break-glass",
  };
}

/** Equal for requests with the same effect on the same state of a workload. Keyed, because a body can contain secrets. */
export function waitKeyOf(sealer: Sealer, { ask, origin, context, change, several }: Proposed): string {
  const changes = several?.parts.map((part) => part.change) ?? [change];
  const effects = changes.flatMap((each) => [each.call.op, each.call.path, each.call.body ?? null, digestOf(each)]);
  const ifStuck = staysIfStuck(ask) ? ["stays if stuck"] : [];
  return sealer.fingerprint(JSON.stringify([origin.teamId, context.account.username, ...effects, ...ifStuck]));
}

type Draft = { readonly draft: NewChange; readonly content: Content };

/** The Change to store, and its content as it was before it was sealed. */
export function draftOf(sealer: Sealer, proposed: Proposed): Draft {
  const { ask, origin, change, several, risk, verdict, context } = proposed;
  const id = newChangeId(randomBytes);
  const terms = verdict.kind === "approve" ? verdict.terms : undefined;
  // An Undo or a repeated request from elsewhere is about the same region.
  const args = settledArgs(proposed);
  const askHere = { ...ask, args, region: ask.region ?? context.settings.region };
  const { responseUrl, threadTs, trace } = origin;
  const place = { ask: askHere, responseUrl, threadTs, ...(trace !== undefined && { trace }) };
  const content = several === undefined ? { ...place, change } : place;
  const draft: NewChange = {
    ...subjectOf(proposed),
    id,
    deliveryId: proposed.deliveryId,
    state: terms === undefined ? "approved" : "pending",
    requester: requesterOf(proposed),
    reason: ask.reason,
    op: change.call.op,
    risk,
    diff: several === undefined ? change.diff : several.leftOut.map(leftOutWords),
    digest: digestOf(change),
    // Policy may require approval later: then it must not wait beside the same request.
    waitKey: waitKeyOf(sealer, proposed),
    sealed: sealContent(sealer, id, content),
    terms,
    undoOf: proposed.undoOf,
    notifies: change.notifies === true,
    endsDelivery: terms === undefined && proposed.isAnsweredByCard,
  };
  const { responseUrl: _, ...sealedWithEach } = place;
  const parts = several?.parts.map((part, at) => partOf(sealer, { ...part, at: at + 1, draft, place: sealedWithEach }));
  return { draft: { ...draft, ...(parts !== undefined && { parts }) }, content };
}

/** Of several workloads, each has arguments of its own. */
function settledArgs({ command, ask, change, several }: Proposed): Ask["args"] {
  const { settledArgs: settle } = command;
  if (settle === undefined) return ask.args;
  const { parts = [] } = several ?? {};
  if (parts.length < 2) return settle(ask.args, change);
  const each = parts.map((part) => [nameIn(part.change), settle({}, part.change)] as const); // a pair
  return { ...ask.args, each: Object.fromEntries(each) };
}

/** The advice after a reason's first sentence is for one workload at a time. */
export function leftOutWords({ change, why }: LeftOut): string {
  const { name } = change.workload;
  if (why === undefined) return `${name}: nothing to do`;
  const [reason = ""] = why.split(/\.\s/u, 1);
  return reason.split(/[\s,:]+/u).includes(name) ? reason : `${name}: ${reason}`;
}

type Part = PartProposal & {
  readonly at: number;
  readonly draft: NewChange;
  readonly place: Omit<Content, "change" | "responseUrl">;
};

/** It waits for its turn in the request that it is a part of. */
function partOf(sealer: Sealer, { change, risk, at, draft, place }: Part): NewChange {
  const id = partId(draft.id, at);
  return {
    ...draft,
    id,
    state: "approved",
    op: change.call.op,
    workload: change.workload,
    risk,
    diff: change.diff,
    digest: digestOf(change),
    waitKey: undefined,
    sealed: sealContent(sealer, id, { ...place, change }),
    terms: undefined,
    undoOf: undefined,
  };
}

import { randomBytes } from "node:crypto";
import type { OpenAccount } from "../accounts/account.ts";
import type { Sealer } from "../accounts/seal.ts";
import type { Change } from "../changes/change.ts";
import type { Who } from "../changes/stored-change.ts";
import type { Ask } from "../commands/ask.ts";
import type { Context, WriteCommand } from "../commands/command.ts";
import { newChangeId } from "../commands/grammar/change-id.ts";
import type { Verdict } from "../policy/verdict.ts";
import type { EventSubject } from "./history.ts";
import type { Origin } from "./origin.ts";
import type { NewChange } from "./ports.ts";
import { sealContent, type Content } from "./stored-request.ts";
import { digestOf } from "../changes/drift.ts";
import type { Risk } from "../policy/question.ts";

/** A request that was read, diffed and allowed by policy. */
export type Proposed = {
  readonly deliveryId: string;
  readonly ask: Ask;
  readonly origin: Origin;
  readonly undoOf: string | undefined;
  readonly command: WriteCommand;
  readonly context: Context;
  readonly account: OpenAccount;
  readonly change: Change;
  readonly risk: Risk;
  readonly verdict: Exclude<Verdict, { kind: "refuse" }>;
};

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
export function waitKeyOf(sealer: Sealer, { origin, context, change }: Proposed): string {
  const { call } = change;
  const parts = [origin.teamId, context.account.username, call.op, call.path, call.body ?? null, digestOf(change)];
  return sealer.fingerprint(JSON.stringify(parts));
}

type Draft = { readonly draft: NewChange; readonly content: Content };

/** The Change to store, and its content as it was before it was sealed. */
export function draftOf(sealer: Sealer, proposed: Proposed): Draft {
  const { ask, origin, command, change, risk, verdict, context } = proposed;
  const id = newChangeId(randomBytes);
  const terms = verdict.kind === "approve" ? verdict.terms : undefined;
  // An Undo or a repeated request from elsewhere is about the same region.
  const args = command.settledArgs?.(ask.args, change) ?? ask.args;
  const askHere = { ...ask, args, region: ask.region ?? context.settings.region };
  const { responseUrl, threadTs } = origin;
  const content = { change, ask: askHere, responseUrl, threadTs };
  const draft: NewChange = {
    ...subjectOf(proposed),
    id,
    deliveryId: proposed.deliveryId,
    state: terms === undefined ? "approved" : "pending",
    requester: requesterOf(proposed),
    reason: ask.reason,
    op: change.call.op,
    risk,
    diff: change.diff,
    digest: digestOf(change),
    // Policy may require approval later: then it must not wait beside the same request.
    waitKey: waitKeyOf(sealer, proposed),
    sealed: sealContent(sealer, id, content),
    terms,
    undoOf: proposed.undoOf,
    expiresInMs: terms?.expiresMs,
  };
  return { draft, content };
}

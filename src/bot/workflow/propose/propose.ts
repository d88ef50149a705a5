import { createHash } from "node:crypto";
import type { Change, WorkloadRef } from "../../changes/change.ts";
import { partAbout, partsOf, requestIdOf, type StoredChange } from "../../changes/stored-change.ts";
import { isAnother } from "../../changes/updatable-fields.ts";
import { inSpan } from "../../../platform/trail.ts";
import type { Context, WriteCommand } from "../../commands/command.ts";
import { commandOf } from "../../commands/grammar/parse.ts";
import { UserError } from "../../errors.ts";
import type { Post } from "../../views/kit/post.ts";
import { askedElsewhere, nothingToDo, warningMessage } from "../../views/messages/request-answers.ts";
import { refusalMessage } from "../../views/messages/error-messages.ts";
import { namesFor, preflight, preflightGlass } from "../access/approvers.ts";
import { accessFor } from "../access/context.ts";
import {
  draftOf,
  judge,
  type LeftOut,
  leftOutWords,
  type Proposed,
  requesterOf,
  subjectOf,
  waitKeyOf,
} from "./draft.ts";
import {
  askWhetherAgain,
  changedSince,
  isSameRequest,
  pointAtEarlierRequest,
  REPEATED_WITHIN_MS,
} from "./duplicate-request.ts";
import { changeEvent, logEvent, recordEvent, originEvent, refusedWrite } from "../history.ts";
import type { Interaction, Reply } from "../inbox/interaction.ts";
import type { Unanswered } from "../stored.ts";
import type { WorkflowParts } from "../ports.ts";
import { carryOnLater, type RunEvents, type Stored } from "../run/run.ts";
import type { Refused } from "../../commands/lookup/authorize.ts";
import { nothingToDoForAny } from "../../views/messages/request-answers.ts";

export type AskInteraction = Extract<Interaction, { kind: "ask" }> & {
  readonly deliveryId: string;
  /** The Change that this one takes back. */
  readonly undone?: StoredChange | undefined;
  /** The workloads that the clicked card was about: a later one of the same name is refused. */
  readonly about?: readonly WorkloadRef[];
  /** It may have been begun before: by a replica that is gone, or before the database went away. */
  readonly isRepeated: boolean;
  readonly reply: Reply;
  readonly run: RunEvents;
  /** The delivery is finished, because storing its Change finished it. */
  readonly onFinished: () => void;
};

/**
 * From an Ask to a stored Change: its effect, the verdict of policy, and who has to approve. Repeated for the same
 * delivery, it finds the Change it stored and goes on from there. Throws `UserError`, `Problem` or `StoreError`.
 */
export async function propose(deps: WorkflowParts, interaction: AskInteraction, signal: AbortSignal): Promise<void> {
  const { ask, origin, deliveryId, undone, isRepeated } = interaction;
  const undoOf = undone?.id;
  const known = isRepeated ? await deps.store.find({ deliveryId }) : undefined;
  if (known !== undefined) return goOn(deps, { stored: { change: known, due: undefined }, interaction });
  const command = commandOf(ask);
  if (command.effect !== "write") throw new Error(`${command.name} is no write`);
  const { context, account } = await accessFor(deps, { origin, effect: "write" }, signal);
  interaction.reply.actsFor(account.username);
  const asked = { interaction, command, context };
  const judged = await inSpan("policy", () => judge({ command, context }, ask));
  if (judged.kind === "refused") return refuseByPolicy(deps, asked, judged);
  if (judged.kind === "nothing") {
    refuseReplaced(interaction.about, judged.changes);
    const [only, ...others] = judged.changes;
    const isOne = only !== undefined && others.length === 0;
    return interaction.reply.send(isOne ? nothingToDo(only) : nothingToDoForAny(judged.changes), "done");
  }
  if (judged.kind === "impossible") return refuseByApi(deps, asked, judged.leftOut);
  const { kind: _kind, ofOthers: besides, ...asJudged } = judged;
  const changes = asJudged.several?.parts.map((part) => part.change) ?? [asJudged.change];
  refuseReplaced(interaction.about, changes);
  const { effect, ofOthers: since } = await withSince(asJudged, { undone, context });
  const warnings = { itself: changes.flatMap((each) => each.itself ?? []), ofOthers: [...besides, ...since] };
  const digest = digestOfWarnings(warnings);
  // Whoever approves it reads them on the card.
  if (judged.verdict.kind !== "approve" && digest !== undefined && ask.confirmed !== digest) {
    return askFirst({ interaction, command }, effect, { ...warnings, confirmed: digest });
  }
  // A form says what became of the request, and the card of an undone Change is drawn at once.
  const isAnsweredByCard = interaction.form === undefined && undoOf === undefined;
  const proposed = { deliveryId, origin, undoOf, command, context, account, isAnsweredByCard, ...effect };
  return storeOrPoint(deps, proposed, interaction);
}

/** Throws a `UserError` when a workload was deleted and created again since the card about it. */
function refuseReplaced(about: readonly WorkloadRef[] = [], changes: readonly Change[]): void {
  for (const { workload } of changes) {
    const { kind, region, name, uid } = workload;
    const then = about.find((each) => each.kind === kind && each.region === region && each.name === name);
    if (!isAnother(then?.uid, uid)) continue;
    throw new UserError(`${name} was deleted and created again since that request. Nothing was changed.`, {
      next: "To change the new one, type the command.",
    });
  }
}

type Effect = Pick<Proposed, "ask" | "change" | "several" | "risk" | "verdict">;

/** Adds the later changes that an undo also takes back, for each workload. */
async function withSince(
  effect: Effect,
  { undone, context }: Pick<AskInteraction, "undone"> & Pick<AskInContext, "context">,
): Promise<{ readonly effect: Effect; readonly ofOthers: readonly string[] }> {
  if (undone === undefined) return { effect, ofOthers: [] };
  const { records, asker } = context;
  const sinceOf = async (change: Change) => {
    const part = partAbout(partsOf(undone), change.workload);
    const since =
      part === undefined
        ? { lines: [], ofOthers: [] }
        : await changedSince({ undone: part, undo: change, records, userId: asker.userId });
    return { change: { ...change, diff: [...change.diff, ...since.lines] }, ofOthers: since.ofOthers };
  };
  if (effect.several === undefined) {
    const { change, ofOthers } = await sinceOf(effect.change);
    return { effect: { ...effect, change }, ofOthers };
  }
  const compared = await Promise.all(
    effect.several.parts.map(async (part) => ({ part, ...(await sinceOf(part.change)) })),
  );
  const parts = compared.map(({ part, change }) => ({ ...part, change }));
  const ofOthers = compared.flatMap((each) => each.ofOthers.map((line) => `${each.change.workload.name}: ${line}`));
  return { effect: { ...effect, several: { ...effect.several, parts } }, ofOthers };
}

/** What its author has to confirm first, a line each. */
type Warnings = {
  /** What becomes of Gantry itself. */
  readonly itself: readonly string[];
  /** Changes of others that it takes back. */
  readonly ofOthers: readonly string[];
};

/** Undefined: there is nothing to confirm. */
function digestOfWarnings({ itself, ofOthers }: Warnings): string | undefined {
  const lines = [...itself, ...ofOthers];
  if (lines.length === 0) return undefined;
  return createHash("sha256").update(JSON.stringify(lines)).digest("hex").slice(0, 16);
}

/** Nobody does these things without knowing it: a button goes on, as long as they are the same. */
function askFirst(
  { interaction, command }: Omit<AskInContext, "context">,
  { change: { call, workload, diff }, several }: Effect,
  warnings: Warnings & { readonly confirmed: string },
): Promise<void> {
  const { ask, undone, reply } = interaction;
  const parts = several?.parts.map((part) => part.change);
  const phrased = { op: call.op, verb: command.name, workload, diff, ...(parts !== undefined && { parts }) };
  const { confirmed } = warnings;
  const message = warningMessage({ ...warnings, phrased, ask: { ...ask, confirmed }, undoes: undone?.id });
  return reply.send(message, "question");
}

/** Stores the Change, unless the same request waits already or policy's conditions can't be met. */
async function storeOrPoint(deps: WorkflowParts, proposed: Proposed, interaction: AskInteraction): Promise<void> {
  // Before checking who could approve: the only possible approver may be the requester of now.
  const waitKey = proposed.verdict.kind === "approve" ? waitKeyOf(deps.sealer, proposed) : undefined;
  const earlier = waitKey === undefined ? undefined : await deps.store.find({ waitKey });
  if (earlier !== undefined) return pointAtEarlierRequest(deps, interaction, earlier);
  const refused = await refusalOf(deps, proposed);
  if (refused !== undefined) {
    const subject = { ...subjectOf(proposed), id: undefined };
    const who = requesterOf(proposed);
    await recordEvent(deps, changeEvent(deps, subject, { kind: "refused", who, result: refused.why }));
    return interaction.reply.send(refused.post, "refused");
  }
  const stored = await store(deps, proposed);
  if ("unanswered" in stored)
    return askWhetherAgain(deps, interaction, { ask: proposed.ask, earlier: stored.unanswered });
  if (stored.isFinished) interaction.onFinished();
  if (stored.change.deliveryId !== proposed.deliveryId) {
    return pointAtEarlierRequest(deps, interaction, stored.change);
  }
  return goOn(deps, { stored, interaction });
}

type Going = { readonly stored: Stored; readonly interaction: AskInteraction };

/** A pending one shows its card; one that needs no approval runs. */
async function goOn(deps: WorkflowParts, { stored, interaction }: Going): Promise<void> {
  const { change } = stored;
  const { reply, origin, run } = interaction;
  const isPending = change.state === "pending";
  if (!isPending) carryOnLater(deps, stored, run);
  if (change.undoOf !== undefined && change.settledAt === undefined)
    await deps.deliver({ id: requestIdOf(change.undoOf) }, change.teamId);
  if (!isPending) return reply.requested(change);
  await deps.deliver(change, change.teamId);
  await reply.requested(change);
  const cardIn = change.terms?.cardIn;
  if (cardIn === undefined || cardIn === origin.channelId) return undefined;
  const { region: defaultRegion } = deps.settings;
  const [names, current] = await Promise.all([namesFor(deps.people, change), deps.store.find({ id: change.id })]);
  const link = current?.card && (await deps.sender.link(current.card));
  return reply.send(askedElsewhere({ change, cardIn, link, defaultRegion, names }), "done");
}

type AskInContext = {
  readonly interaction: AskInteraction;
  readonly command: WriteCommand;
  readonly context: Context;
};

async function refuseByPolicy(
  deps: WorkflowParts,
  { interaction, command, context }: AskInContext,
  { refusal, workload }: Refused,
): Promise<void> {
  const { asker: who, account } = context;
  const { origin, reply } = interaction;
  const attempt = { refusal, workload, verb: command.name, origin, who, account: account.username };
  return reply.send(await refusedWrite(deps, attempt), "refused");
}

/** So many workloads have room for the whole reason. */
const FEW = 5;

/** The request would fail after somebody approved it. */
async function refuseByApi(
  deps: WorkflowParts,
  { interaction, command, context }: AskInContext,
  leftOut: readonly LeftOut[],
): Promise<void> {
  const { asker, account } = context;
  const { origin, reply } = interaction;
  const who = { userId: asker.userId, name: asker.name };
  for (const { change, why } of leftOut) {
    if (why === undefined) continue;
    const { workload } = change;
    await recordEvent(
      deps,
      originEvent(origin, who, {
        kind: "refused",
        verb: command.name,
        workload,
        account: account.username,
        result: why,
      }),
    );
  }
  const hasRoom = leftOut.length <= FEW;
  const [why = "", ...others] = leftOut.map((each) => (hasRoom && each.why) || leftOutWords(each));
  return reply.send(refusalMessage({ kind: "api", why, others }), "refused");
}

type Refusal = { readonly post: Post; readonly why: string };

async function refusalOf(deps: WorkflowParts, { verdict, ask, context }: Proposed): Promise<Refusal | undefined> {
  const { command } = deps.settings;
  const needsReason = verdict.kind === "break-glass" || (verdict.kind === "approve" && verdict.terms.reasonRequired);
  if (needsReason && ask.reason === undefined) {
    const post = refusalMessage({ kind: "reason", rule: verdict.rule, command });
    return { post, why: "a reason is required, and none was given" };
  }
  const { asker } = context;
  if (verdict.kind === "break-glass") return preflightGlass(deps, { rule: verdict.rule, asker });
  if (verdict.kind !== "approve") return undefined;
  return preflight(deps, { terms: verdict.terms, rule: verdict.rule, asker });
}

/** Short ids can be taken already. */
async function store(
  deps: WorkflowParts,
  proposed: Proposed,
): Promise<(Stored & { readonly isFinished: boolean }) | Unanswered> {
  let unlessUnansweredMs = proposed.ask.again === true ? undefined : REPEATED_WITHIN_MS;
  for (;;) {
    const { draft, content } = draftOf(deps.sealer, proposed);
    const result = [...draft.diff, ...(draft.reason === undefined ? [] : [`reason: ${draft.reason}`])].join("; ");
    const event = changeEvent(deps, draft, { kind: "requested", who: draft.requester, result });
    const inserted = await deps.store.insertChange({ ...draft, unlessUnansweredMs }, event);
    if (inserted === "taken") continue;
    if ("unanswered" in inserted) {
      if (isSameRequest(deps, proposed, inserted.unanswered)) return inserted;
      unlessUnansweredMs = undefined;
      continue;
    }
    // An earlier attempt's Change has a content of its own, and that is what has to be sent.
    if (inserted.change.id !== draft.id) return { ...inserted, isFinished: false };
    logEvent(deps, event);
    const isFinished = draft.endsDelivery === true;
    return { ...inserted, fresh: { content, account: proposed.account }, isFinished };
  }
}

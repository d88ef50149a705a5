import { randomBytes } from "node:crypto";
import type { Change } from "../changes/change.ts";
import { digestOf } from "../changes/drift.ts";
import type { StoredChange, Who } from "../changes/stored-change.ts";
import { newChangeId } from "../commands/grammar/change-id.ts";
import type { Context, WriteCommand } from "../commands/command.ts";
import { proposeChange, type Refused } from "../commands/lookup/authorize.ts";
import { commandOf } from "../commands/grammar/parse.ts";
import type { Risk } from "../policy/question.ts";
import type { Verdict } from "../policy/verdict.ts";
import type { NewChange } from "../store/store.ts";
import { askedElsewhere } from "../views/messages/asked-message.ts";
import { outcomeMessage } from "../views/cards/outcome.ts";
import { refusalMessage } from "../views/messages/refusal-message.ts";
import type { Message, Post } from "../views/kit/message.ts";
import { carryOnLater, type RunEvents } from "./run.ts";
import { contextFor } from "./access/context.ts";
import type { Interaction } from "./inbox/interaction.ts";
import { draw } from "../slack/cards/draw.ts";
import { eventOf, logEvent } from "./history.ts";
import { namesFor } from "./access/approver-names.ts";
import { preflight, preflightGlass } from "./access/preflight.ts";
import { pointAtEarlierRequest } from "./duplicate-request.ts";
import { sealChange } from "./sealed-change.ts";
import { refusalEvent } from "./record-refusal.ts";
import type { Shell } from "./shell.ts";
import type { Reply } from "./inbox/reply.ts";

export type AskInteraction = Extract<Interaction, { kind: "ask" }> & {
  readonly deliveryId: string;
  readonly reply: Reply;
  readonly run: RunEvents;
};

/**
 * From an Ask to a stored Change: what it would do, whether policy lets it, and who has to agree. Done again for the
 * same delivery it finds what it stored and goes on from there. Throws `UserError`, `Problem` or `StoreError`.
 */
export async function propose(shell: Shell, interaction: AskInteraction, signal: AbortSignal): Promise<void> {
  const known = await shell.store.changeOfDelivery(interaction.deliveryId);
  if (known !== undefined) return goOn(shell, { change: known, isFresh: false, interaction });
  const command = commandOf(interaction.ask);
  if (command.effect !== "write") throw new Error(`${command.name} is no write`);
  const context = await contextFor(shell, { origin: interaction.origin, effect: "write" }, signal);
  const judged = await proposeChange(command, interaction.ask, context);
  if (judged.kind === "refused") return refuseByPolicy(shell, { interaction, command, context }, judged);
  const { change, about, verdict } = judged;
  const { risk } = about;
  if (change.diff.length === 0) return interaction.reply.send(alreadySo(shell, change, interaction), "done");
  const proposed: Proposed = { interaction, command, context, change, risk, verdict };
  // Before checking who could approve: the only possible approver may be the one asking now.
  const earlier = verdict.kind === "approve" ? await shell.store.waitingLike(waitKeyOf(shell, proposed)) : undefined;
  if (earlier !== undefined) return pointAtEarlierRequest(shell, interaction, earlier);
  const refused = await refusalOf(shell, { verdict, interaction, context });
  if (refused !== undefined) return refuse(shell, proposed, refused);
  const stored = await store(shell, proposed);
  if (stored.deliveryId !== interaction.deliveryId) return pointAtEarlierRequest(shell, interaction, stored);
  return goOn(shell, { change: stored, isFresh: true, interaction });
}

type Proposed = {
  readonly interaction: AskInteraction;
  readonly command: WriteCommand;
  readonly context: Context;
  readonly change: Change;
  readonly risk: Risk;
  readonly verdict: Exclude<Verdict, { kind: "refuse" }>;
};

type Going = { readonly change: StoredChange; readonly isFresh: boolean; readonly interaction: AskInteraction };

/** A pending one shows its card; what needs nobody's approval runs. */
async function goOn(shell: Shell, { change, isFresh, interaction }: Going): Promise<void> {
  const isOpen = change.settledAt === undefined;
  if (isOpen && change.undoOf !== undefined && (await shell.store.markUndone(change.undoOf)))
    await draw(shell, change.undoOf);
  const { reply } = interaction;
  if (change.state !== "pending") {
    carryOnLater(shell, { change, isFresh }, interaction.run);
    return reply.placed(change);
  }
  await draw(shell, change.id);
  await reply.placed(change);
  const cardIn = change.terms?.cardIn;
  if (cardIn === undefined || cardIn === interaction.origin.channelId) return undefined;
  const { command, region: defaultRegion } = shell.settings;
  const names = await namesFor(shell, change);
  return reply.send(askedElsewhere({ change, cardIn, command, defaultRegion, names }), "done");
}

function alreadySo({ settings }: Shell, change: Change, { origin }: AskInteraction): Message {
  const { command, region } = settings;
  const outcome = { kind: "done", after: change.before, alsoMoved: [] } as const;
  return outcomeMessage({ change, outcome, command, by: origin.userId, defaultRegion: region });
}

async function refuseByPolicy(
  shell: Shell,
  { interaction, command, context }: Pick<Proposed, "interaction" | "command" | "context">,
  { refusal, workload }: Refused,
): Promise<void> {
  const { asker: who, account } = context;
  const { origin, reply } = interaction;
  const event = refusalEvent({ refusal, workload, verb: command.name, origin, who, account: account.username });
  await shell.store.addEvent(event);
  logEvent(shell, event);
  const post = refusalMessage({ kind: "policy", verdict: refusal, command: shell.settings.command });
  return reply.send(post, "refused");
}

type Stopped = { readonly post: Post; readonly why: string };

async function refusalOf(
  shell: Shell,
  { verdict, interaction, context }: Pick<Proposed, "verdict" | "interaction" | "context">,
): Promise<Stopped | undefined> {
  const { command } = shell.settings;
  const needsReason = verdict.kind === "break-glass" || (verdict.kind === "approve" && verdict.terms.reasonRequired);
  if (needsReason && interaction.ask.reason === undefined) {
    const post = refusalMessage({ kind: "reason", rule: verdict.rule, command });
    return { post, why: "a reason is required, and none was given" };
  }
  const { asker } = context;
  if (verdict.kind === "break-glass") return preflightGlass(shell, { rule: verdict.rule, asker });
  if (verdict.kind !== "approve") return undefined;
  return preflight(shell, { terms: verdict.terms, rule: verdict.rule, asker });
}

async function refuse(shell: Shell, proposed: Proposed, { post, why }: Stopped): Promise<void> {
  const who = whoAsks(proposed);
  const event = eventOf(shell, { ...subjectOf(proposed), id: undefined }, { kind: "refused", who, result: why });
  await shell.store.addEvent(event);
  logEvent(shell, event);
  return proposed.interaction.reply.send(post, "refused");
}

async function store(shell: Shell, proposed: Proposed): Promise<StoredChange> {
  const draft = draftOf(shell, proposed, await freeId(shell));
  const result = [...draft.diff, ...(draft.reason === undefined ? [] : [`reason: ${draft.reason}`])].join("; ");
  const event = eventOf(shell, draft, { kind: "requested", who: draft.requester, result });
  const stored = await shell.store.addChange(draft, event);
  if (stored.id === draft.id) logEvent(shell, event);
  return stored;
}

/** Short ids can be taken already; a rare clash between two at once is refused by the store. */
async function freeId({ store }: Shell): Promise<string> {
  for (;;) {
    const id = newChangeId(randomBytes);
    if ((await store.findChange(id)) === undefined) return id;
  }
}

function whoAsks({ context }: Proposed): Who {
  const { userId, name } = context.asker;
  return { userId, name };
}

/** What history tells of it, whether it is refused or becomes a Change. */
function subjectOf({ interaction, command, context, change, verdict }: Proposed) {
  const { owner, username } = context.account;
  return {
    teamId: interaction.origin.teamId,
    channelId: interaction.origin.channelId,
    verb: command.name,
    workload: change.workload,
    account: { owner, username },
    rule: verdict.rule ?? "",
    breakGlass: verdict.kind === "break-glass",
  };
}

/**
 * Equal for requests with the same effect on the same state of a workload. Keyed, because a body can contain secrets.
 */
function waitKeyOf({ sealer }: Shell, { interaction, context, change }: Proposed): string {
  const { call } = change;
  const what = [
    interaction.origin.teamId,
    context.account.username,
    call.op,
    call.path,
    call.body ?? null,
    digestOf(change),
  ];
  return sealer.fingerprint(JSON.stringify(what));
}

function draftOf(shell: Shell, proposed: Proposed, id: string): NewChange {
  const { interaction, change, risk, verdict } = proposed;
  const { ask, origin } = interaction;
  // Undone or asked again elsewhere, it is about the same region.
  const askHere = { ...ask, region: ask.region ?? proposed.context.settings.region };
  const terms = verdict.kind === "approve" ? verdict.terms : undefined;
  return {
    ...subjectOf(proposed),
    id,
    deliveryId: interaction.deliveryId,
    state: terms === undefined ? "approved" : "pending",
    requester: whoAsks(proposed),
    reason: ask.reason,
    op: change.call.op,
    risk,
    diff: change.diff,
    digest: digestOf(change),
    waitKey: waitKeyOf(shell, proposed),
    sealed: sealChange(shell.sealer, id, {
      change,
      ask: askHere,
      responseUrl: origin.responseUrl,
      threadTs: origin.threadTs,
    }),
    terms,
    undoOf: interaction.undoOf,
    expiresInMs: terms?.expiresMs,
  };
}

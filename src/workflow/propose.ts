import { randomBytes } from "node:crypto";
import type { Change } from "../changes/change.ts";
import { digestOf } from "../changes/digest.ts";
import type { StoredChange, Who } from "../changes/stored-change.ts";
import { newChangeId } from "../commands/grammar/change-id.ts";
import type { Context, WriteCommand } from "../commands/command.ts";
import { judgedChange, type Refused } from "../commands/gate.ts";
import { commandOf } from "../commands/grammar/parse.ts";
import type { Risk } from "../policy/risk.ts";
import type { Verdict } from "../policy/verdict.ts";
import type { NewChange } from "../store/store.ts";
import { askedElsewhere } from "../views/messages/asked-message.ts";
import { outcomeMessage } from "../views/messages/outcome-message.ts";
import { refusalMessage } from "../views/messages/refusal-message.ts";
import type { Message, Post } from "../views/kit/message.ts";
import { carryOn } from "./run.ts";
import { contextFor } from "./access/context.ts";
import type { Deed } from "./inbox/interaction.ts";
import { draw } from "../slack/cards/draw.ts";
import { eventOf, logEvent } from "./history.ts";
import { namesFor } from "./access/approver-names.ts";
import { preflight, preflightGlass } from "./access/preflight.ts";
import { pointAtEarlierRequest } from "./duplicate-request.ts";
import { sealChange } from "./sealed-change.ts";
import { refusalEvent } from "./record-refusal.ts";
import type { Shell } from "./shell.ts";
import type { Telling } from "./inbox/reply.ts";

export type AskDeed = Extract<Deed, { kind: "ask" }> & { readonly deliveryId: string; readonly telling: Telling };

/**
 * From an Ask to a stored Change: what it would do, whether policy lets it, and who has to agree. Done again for the
 * same delivery it finds what it stored and goes on from there. Throws `UserError`, `Problem` or `StoreError`.
 */
export async function propose(shell: Shell, deed: AskDeed, signal: AbortSignal): Promise<void> {
  const known = await shell.store.changeOfDelivery(deed.deliveryId);
  if (known !== undefined) return goOn(shell, { change: known, isFresh: false, deed }, signal);
  const command = commandOf(deed.ask);
  if (command.effect !== "write") throw new Error(`${command.name} is no write`);
  const context = await contextFor(shell, { place: deed.place, effect: "write" }, signal);
  const judged = await judgedChange(command, deed.ask, context);
  if (judged.kind === "refused") return refuseByPolicy(shell, { deed, command, context }, judged);
  const { change, about, verdict } = judged;
  const { risk } = about;
  if (change.diff.length === 0) return deed.telling.say(alreadySo(shell, change, deed), "told");
  const proposed: Proposed = { deed, command, context, change, risk, verdict };
  // Before checking who could approve: the only possible approver may be the one asking now.
  const earlier = verdict.kind === "approve" ? await shell.store.waitingLike(waitKeyOf(shell, proposed)) : undefined;
  if (earlier !== undefined) return pointAtEarlierRequest(shell, deed, earlier);
  const refused = await refusalOf(shell, { verdict, deed, context });
  if (refused !== undefined) return refuse(shell, proposed, refused);
  const stored = await store(shell, proposed);
  if (stored.deliveryId !== deed.deliveryId) return pointAtEarlierRequest(shell, deed, stored);
  return goOn(shell, { change: stored, isFresh: true, deed }, signal);
}

type Proposed = {
  readonly deed: AskDeed;
  readonly command: WriteCommand;
  readonly context: Context;
  readonly change: Change;
  readonly risk: Risk;
  readonly verdict: Exclude<Verdict, { kind: "refuse" }>;
};

type Going = { readonly change: StoredChange; readonly isFresh: boolean; readonly deed: AskDeed };

/** A pending one shows its card; what needs nobody's approval runs. */
async function goOn(shell: Shell, { change, isFresh, deed }: Going, signal: AbortSignal): Promise<void> {
  const isOpen = change.settledAt === undefined;
  if (isOpen && change.undoOf !== undefined && (await shell.store.markUndone(change.undoOf)))
    await draw(shell, change.undoOf);
  const { telling } = deed;
  if (change.state !== "pending") {
    await Promise.all([telling.placed(change), carryOn(shell, { change, isFresh }, signal)]);
    return undefined;
  }
  await draw(shell, change.id);
  await telling.placed(change);
  const cardIn = change.terms?.cardIn;
  if (cardIn === undefined || cardIn === deed.place.channelId) return undefined;
  const { command, region: defaultRegion } = shell.settings;
  const names = await namesFor(shell, change);
  return telling.say(askedElsewhere({ change, cardIn, command, defaultRegion, names }), "told");
}

function alreadySo({ settings }: Shell, change: Change, { place }: AskDeed): Message {
  const { command, region } = settings;
  const outcome = { kind: "done", after: change.before, alsoMoved: [] } as const;
  return outcomeMessage({ change, outcome, command, by: place.userId, defaultRegion: region });
}

async function refuseByPolicy(
  shell: Shell,
  { deed, command, context }: Pick<Proposed, "deed" | "command" | "context">,
  { refusal, workload }: Refused,
): Promise<void> {
  const { asker: who, account } = context;
  const { place, telling } = deed;
  const event = refusalEvent({ refusal, workload, verb: command.name, place, who, account: account.username });
  await shell.store.addEvent(event);
  logEvent(shell, event);
  const post = refusalMessage({ kind: "policy", verdict: refusal, command: shell.settings.command });
  return telling.say(post, "refused");
}

type Stopped = { readonly post: Post; readonly why: string };

async function refusalOf(
  shell: Shell,
  { verdict, deed, context }: Pick<Proposed, "verdict" | "deed" | "context">,
): Promise<Stopped | undefined> {
  const { command } = shell.settings;
  const needsReason = verdict.kind === "break-glass" || (verdict.kind === "approve" && verdict.terms.reasonRequired);
  if (needsReason && deed.ask.reason === undefined) {
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
  return proposed.deed.telling.say(post, "refused");
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
function subjectOf({ deed, command, context, change, verdict }: Proposed) {
  const { owner, username } = context.account;
  return {
    teamId: deed.place.teamId,
    channelId: deed.place.channelId,
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
function waitKeyOf({ sealer }: Shell, { deed, context, change }: Proposed): string {
  const { call } = change;
  const what = [deed.place.teamId, context.account.username, call.op, call.path, call.body ?? null, digestOf(change)];
  return sealer.fingerprint(JSON.stringify(what));
}

function draftOf(shell: Shell, proposed: Proposed, id: string): NewChange {
  const { deed, change, risk, verdict } = proposed;
  const { ask, place } = deed;
  // Undone or asked again elsewhere, it is about the same region.
  const askHere = { ...ask, region: ask.region ?? proposed.context.settings.region };
  const terms = verdict.kind === "approve" ? verdict.terms : undefined;
  return {
    ...subjectOf(proposed),
    id,
    deliveryId: deed.deliveryId,
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
      responseUrl: place.responseUrl,
      threadTs: place.threadTs,
    }),
    terms,
    undoOf: deed.undoOf,
    expiresInMs: terms?.expiresMs,
  };
}

import { NONE } from "../../views/kit/blocks.ts";
import { z } from "zod";
import { Ask } from "../../ask.ts";
import type { Card } from "../../changes/stored-change.ts";
import { isReadOnly } from "../../commands/command.ts";
import { commandOf } from "../../commands/grammar/parse.ts";
import { BESIDE_CARD } from "../../views/cards/request-lines.ts";
import { handOverForm } from "../../views/forms/hand-over-form.ts";
import { rejectForm } from "../../views/forms/modal.ts";
import { accountOf, type Action, actionFor, decodeAction } from "../../views/kit/action-id.ts";
import { type Carried, carriedByOption } from "../../views/kit/menu-options.ts";
import type { Post } from "../../views/kit/post.ts";
import { confirmed } from "../../views/messages/confirm-message.ts";
import type { DecisionAnswer } from "../../views/messages/decision-answer.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { findVisibleChange } from "../../workflow/access/records.ts";
import { decisionPost, retireOutdated } from "../../workflow/decide/decide.ts";
import { findAlert, notTheirs } from "../../workflow/decide/take-alert.ts";
import { dispatch } from "../../workflow/receive/dispatch.ts";
import { accept } from "../../workflow/receive/delivery.ts";
import { stopFollow } from "../../workflow/watching/log-follow.ts";
import { isDirect, type Origin } from "../../workflow/origin.ts";
import { onHomeClick } from "../home.ts";
import { openingIn, openVerbForm } from "../modals/open-form.ts";
import { openForm } from "../modals/update-view.ts";
import { onViewClick } from "../modals/form-interaction.ts";
import type { WorkspaceParts } from "../parts.ts";
import type { Ack } from "./transport.ts";
import { messageKey, wasStored } from "./delivery-memory.ts";
import { answerLater, knownCommand, onReadClick } from "./read-click.ts";
import { regionOfBlock } from "./suggestion.ts";
import { CarriedView, jsonIn, originOf, Sent } from "./payload.ts";

const Element = z.object({
  action_id: z.string().default(""),
  block_id: z.string().default(""),
  action_ts: z.string().default(""),
  value: z.string().optional(),
  selected_option: z.object({ value: z.string() }).nullish(),
  url: z.string().optional(),
});

/** https://docs.slack.dev/reference/interaction-payloads/block_actions-payload */
const Click = z.object({
  trigger_id: z.string().default(""),
  ...Sent.shape,
  user: z.object({ id: z.string() }),
  container: z
    .object({
      is_ephemeral: z.boolean().optional(),
      channel_id: z.string().optional(),
      message_ts: z.string().optional(),
      thread_ts: z.string().optional(),
    })
    .default({}),
  view: CarriedView.optional(),
  // Slack always sends one: https://docs.slack.dev/reference/interaction-payloads/block_actions-payload
  actions: z.tuple([Element], Element),
});
type Click = z.infer<typeof Click>;

/** What every kind of click is handled with. */
type Clicked = {
  /** Slack's id of this click. */
  readonly id: string;
  readonly triggerId: string;
  /** Of the button, or of the chosen option. */
  readonly value: string;
  readonly blockId: string;
  /** The message with the button. */
  readonly messageTs: string | undefined;
  readonly threadTs: string | undefined;
  /** Whether only this person sees the message. */
  readonly isEphemeral: boolean;
  readonly origin: Origin;
};

/**
 * A click on a button or a choice in a menu. What only reads or opens a form is acked at once, and everything else is
 * stored before its ack. Each click is answered.
 */
export async function onClick(parts: WorkspaceParts, body: unknown, ack: Ack): Promise<void> {
  const click = Click.parse(body);
  const [element] = click.actions;
  const { action_ts: actionTs, block_id: blockId } = element;
  // A link opens in the browser; Slack reports it and only wants an ack.
  if (element.url !== undefined) return ack();
  const id = click.trigger_id === "" ? actionTs : click.trigger_id;
  if (parts.repeats.isRepeat(id)) return ack();
  const { actionId, value } = carriedBy(element);
  const account = accountOf(actionId);
  const origin = { ...originOfClick(parts, click), ...(account !== undefined && { account }) };
  if (parts.lanes.isStopping()) {
    await ack();
    return tell(parts, sentences.restarting(), origin);
  }
  const action = decodeAction(actionId);
  const { view } = click;
  const isInForm = view !== undefined && view.type !== "home";
  if (isInForm && action?.kind !== "run" && action?.kind !== "dismiss") {
    return onViewClick(parts, { view, action, blockId, actionTs }, ack);
  }
  const clicked: Clicked = {
    id,
    triggerId: click.trigger_id,
    value,
    blockId,
    messageTs: click.container.message_ts,
    threadTs: click.container.thread_ts,
    isEphemeral: click.container.is_ephemeral === true,
    origin,
  };
  if (action?.kind === "request") return onRequestClick(parts, { ...clicked, action }, ack);
  if (action?.kind === "run") return runAsk(parts, clicked, ack);
  if (action?.kind === "alert") return onAlertClick(parts, { ...clicked, action }, ack);
  await ack();
  return onAcked(parts, clicked, action);
}

/** An option of a ⋯ menu is a click on the button that it replaces, for the same account. */
function carriedBy({ action_id: id, block_id: blockId, value, selected_option }: z.infer<typeof Element>): Carried {
  const option = selected_option?.value ?? "";
  if (decodeAction(id)?.kind !== "more") return { actionId: id, value: value ?? option };
  const carried = carriedByOption(option, blockId);
  const account = accountOf(id);
  return account === undefined ? carried : { ...carried, actionId: actionFor(carried.actionId, account) };
}

/** What changes nothing, or at most this person's own settings. */
async function onAcked(parts: WorkspaceParts, clicked: Clicked, action: Action | undefined): Promise<void> {
  const { value, blockId, threadTs, origin, triggerId } = clicked;
  switch (action?.kind) {
    case "dismiss":
      return parts.lanes.track(parts.responder.answer(confirmed.cancelled(), inThread(clicked), { isShared: false }));
    case "home":
      return onHomeClick(parts, { act: action.act, blockId, value, origin, triggerId });
    case "openForm":
    case "formMenu": {
      const opening = openingIn(action, value, blockId);
      if (opening === undefined) break;
      return openVerbForm(parts, { ...opening, origin: inThread(clicked), triggerId });
    }
    case "read":
      return onReadClick(parts, { value: jsonIn(value), origin, threadTs });
    case "readBeside":
      return onReadClick(parts, { value: jsonIn(value), origin, threadTs, isBeside: true });
    case "follow":
      parts.lanes.add({ lane: "people", owner: origin.userId }, (signal) =>
        stopFollow(parts, { id: value, origin: inThread(clicked) }, signal),
      );
      return;
    case "pick": {
      if (value === NONE) return tell(parts, sentences.nothingChosen(), origin);
      const region = regionOfBlock(blockId);
      const ask = { verb: "show", ...(region !== undefined && { region }), share: false, args: { name: value } };
      return onReadClick(parts, { value: ask, origin, threadTs, isBeside: true });
    }
    default:
  }
  return tell(parts, sentences.staleButton(parts.settings.command), origin);
}

async function tell({ lanes, responder }: WorkspaceParts, message: Post, origin: Origin): Promise<void> {
  await lanes.track(responder.tellPatiently(message, origin));
}

type AlertClick = Clicked & { readonly action: Action & { readonly kind: "alert" } };

/** The card shows who is on it. */
async function onAlertClick(parts: WorkspaceParts, clicked: AlertClick, ack: Ack): Promise<void> {
  const { action, id, value: alertId, triggerId } = clicked;
  const { replaces: _replaces, ...origin } = clicked.origin;
  if (action.act === "handOver") {
    await ack();
    return openHandOver(parts, { alertId, origin, triggerId });
  }
  const interaction = { kind: action.act, alertId, origin } as const; // a literal kind
  return accept(parts, { id, interaction, ack: refusable(parts, origin, ack) });
}

type HandOver = { readonly alertId: string; readonly origin: Origin; readonly triggerId: string };

/** Opens the form for the person who takes it over, for who is on it. */
async function openHandOver(parts: WorkspaceParts, { triggerId, ...about }: HandOver): Promise<void> {
  const found = await findAlert(parts, about);
  if ("refusal" in found) return tell(parts, found.refusal, about.origin);
  const refusal = notTheirs(found);
  if (refusal !== undefined) return tell(parts, refusal, about.origin);
  const view = handOverForm(found.incidents, JSON.stringify(about));
  await openForm(parts, { triggerId, view, origin: about.origin });
}

/** The ack of a click shows nothing, so a refusal is a message of its own. */
function refusable(parts: WorkspaceParts, origin: Origin, ack: Ack) {
  return async (refusal: Post | undefined): Promise<void> => {
    await ack();
    if (refusal !== undefined) await tell(parts, refusal, origin);
  };
}

type RequestClick = Clicked & { readonly action: Action & { readonly kind: "request" } };

/** A button of a request. It is answered below the card: the card itself is drawn from state. */
async function onRequestClick(parts: WorkspaceParts, clicked: RequestClick, ack: Ack): Promise<void> {
  const { action, id, value: changeId, messageTs, triggerId } = clicked;
  const { replaces: _replaces, ...origin } = clicked.origin;
  // A message for one person is never a card, and a request in a list is decided beside its card.
  const isBeside = action.isBeside === true || clicked.isEphemeral || clicked.blockId.startsWith(BESIDE_CARD);
  const card = isBeside || messageTs === undefined ? undefined : { channelId: origin.channelId, ts: messageTs };
  const about = { changeId, origin, ...(card !== undefined && { card }) };
  const orRefusal = refusable(parts, origin, ack);
  switch (action.act) {
    case "approve":
    case "cancel":
      return accept(parts, {
        id,
        interaction: { kind: "decide", decision: action.act, isClicked: true, ...about },
        ack: orRefusal,
      });
    case "undo":
    case "again": {
      // Whoever confirmed what an undo takes back of others clicked a button that says so.
      const [undoneId = "", confirmed] = changeId.split(" ", 2);
      const redo = { kind: "redo", how: action.act, ...about, changeId: undoneId } as const; // a literal kind
      return accept(parts, { id, interaction: { ...redo, ...(confirmed && { confirmed }) }, ack: orRefusal });
    }
    case "reject":
      await ack();
      return openRejection(parts, { ...about, triggerId });
    case "show":
    case "logs":
      await ack();
      return showWorkload(parts, action.act, about);
    case "look": {
      await ack();
      const [verb, chosenId = ""] = changeId.split(" ", 2);
      if (verb === "show" || verb === "logs") return showWorkload(parts, verb, { ...about, changeId: chosenId });
      return tell(parts, sentences.staleButton(parts.settings.command), origin);
    }
  }
}

type AboutRequest = { readonly changeId: string; readonly card?: Card; readonly origin: Origin };

/** Opens the form for the reason, or answers that the Change is already decided. */
async function openRejection(
  parts: WorkspaceParts,
  { triggerId, ...about }: AboutRequest & { readonly triggerId: string },
): Promise<void> {
  const { settings, responder } = parts;
  const { card, origin } = about;
  const answer = async (what: DecisionAnswer): Promise<void> =>
    responder.tellPatiently(await decisionPost(parts, what), origin);
  const known = await findVisibleChange(parts, { ...about, isClicked: true });
  if ("missing" in known) return answer(known.missing);
  const { change } = known;
  if (change.state !== "pending") return answer({ kind: "late", change, wanted: "reject" });
  if (await retireOutdated(parts, change, card)) return answer({ kind: "retired", change });
  const view = rejectForm({ change, metadata: JSON.stringify(about), defaultRegion: settings.region });
  await openForm(parts, { triggerId, view, origin });
}

/** Shows the workload of a request, or its log, to whoever clicks, with their own rights. The card stays. */
async function showWorkload(parts: WorkspaceParts, verb: "show" | "logs", about: AboutRequest): Promise<void> {
  const { origin } = about;
  const known = await findVisibleChange(parts, { ...about, isClicked: true });
  if ("missing" in known) return tell(parts, await decisionPost(parts, known.missing), origin);
  const { account, workload } = known.change;
  const { kind, name, region } = workload;
  const ask: Ask = { verb, share: false, args: { name: `${kind}/${name}` }, ...(kind === "service" && { region }) };
  const command = commandOf(ask);
  if (command.effect !== "read") throw new Error(`${verb} is no read`);
  return answerLater(parts, { command, ask, origin: { ...origin, account: account.username } });
}

/** A question is about the moment in which it was asked. */
const EXPIRES_MS = 60 * 60_000;

/**
 * Runs the Ask as if its words had been typed: policy, approval and history are the same. A message's buttons run one
 * write at most, so a second click, also a concurrent one, can't request it twice.
 */
async function runAsk(parts: WorkspaceParts, clicked: Clicked, ack: Ack): Promise<void> {
  const { messageTs } = clicked;
  const origin = inThread(clicked);
  const { replaces, ...below } = origin;
  const answer = async (message: Post): Promise<void> => {
    await ack();
    return tell(parts, message, below);
  };
  const ask = Ask.safeParse(jsonIn(clicked.value)).data;
  const command = ask && knownCommand(ask);
  if (ask === undefined || command === undefined) return answer(sentences.staleButton(parts.settings.command));
  // Watching twice is watching once, and many may click the same button.
  const isRead = isReadOnly(command) || command.effect === "watch";
  const id = isRead || messageTs === undefined ? clicked.id : `run:${messageKey({ ...origin, ts: messageTs })}`;
  if (!isRead) {
    const ageMs = messageTs === undefined ? 0 : parts.clock.now().getTime() - Number(messageTs) * 1_000;
    if (ageMs > EXPIRES_MS) return answer(confirmed.expired());
    const isUsed = await wasStored(parts, id, "couldn't check whether a button was used already");
    if (isUsed) return answer(confirmed.used());
  }
  const opens = async (view: object): Promise<void> => {
    await ack();
    await openForm(parts, { triggerId: clicked.id, view, origin: below });
  };
  await dispatch(parts, { command, ask, origin: below, id, opens }, async (refusal) => {
    await ack();
    if (refusal !== undefined) return tell(parts, refusal, below);
    // Nobody else sees these buttons.
    if (isRead || (replaces !== "ephemeral" && !isDirect(origin.channelId))) return;
    await parts.lanes.track(parts.responder.answer(confirmed.requested({ command, ask }), origin, { isShared: false }));
  });
}

/** A button in a thread runs or opens something whose answer goes into that thread. */
function inThread({ origin, threadTs, isEphemeral }: Clicked): Origin {
  if (threadTs === undefined || isDirect(origin.channelId)) return origin;
  return { ...origin, threadTs, isNewThread: isEphemeral };
}

const HomeMetadata = z.object({ page: z.number().int().min(0) });

function originOfClick(parts: Pick<WorkspaceParts, "people">, click: Click): Origin {
  const { channel, container, view } = click;
  const origin = originOf(parts, { ...click, channel_id: container.channel_id });
  if (channel !== undefined || container.channel_id !== undefined) {
    return { ...origin, replaces: container.is_ephemeral === true ? "ephemeral" : "in_channel" };
  }
  // A click on Home or in a form comes from no channel.
  if (view?.type !== "home") return origin;
  // The page that the person was looking at, so that a redraw stays there.
  const homePage = HomeMetadata.safeParse(jsonIn(view.private_metadata)).data?.page;
  return { ...origin, isHome: true, homePage };
}

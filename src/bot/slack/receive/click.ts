import { z } from "zod";
import type { Message } from "../../views/kit/message.ts";
import type { Ack } from "./ack.ts";
import { cardAction, onCard } from "./card-click.ts";
import { openingIn } from "../modals/form-button.ts";
import { openVerbForm } from "../modals/open-form.ts";
import { homeAction, onHomeClick } from "../home/click.ts";
import { isRunButton, onRunClick } from "./run-click.ts";
import { onReadClick } from "./read-click.ts";
import { isDirect, type Origin } from "../../workflow/origin.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { onViewClick } from "../modals/view-click.ts";
import { BESIDE_CARD } from "../../views/cards/request-lines.ts";
import { CarriedView, jsonIn } from "./view-payload.ts";
import type { Lanes } from "../../workflow/inbox/lanes.ts";
import type { Repeats } from "./repeats.ts";
import type { People } from "../../workflow/ports.ts";
import type { Responder } from "../../workflow/ports.ts";
import type { DepsOf } from "../deps-of.ts";

export type ClickDeps = DepsOf<
  typeof onViewClick | typeof onCard | typeof onHomeClick | typeof openVerbForm | typeof onReadClick | typeof onRunClick
> & {
  readonly lanes: Pick<Lanes, "isStopping" | "track">;
  readonly repeats: Repeats;
  readonly people: Pick<People, "bot">;
  readonly responder: Pick<Responder, "tellPatiently">;
};

const Action = z.object({
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
  user: z.object({ id: z.string() }),
  team: z.object({ id: z.string() }).nullish(),
  channel: z.object({ id: z.string() }).optional(),
  container: z
    .object({
      is_ephemeral: z.boolean().optional(),
      channel_id: z.string().optional(),
      message_ts: z.string().optional(),
      thread_ts: z.string().optional(),
    })
    .default({}),
  view: CarriedView.optional(),
  response_url: z.string().optional(),
  // Slack always sends one: https://docs.slack.dev/reference/interaction-payloads/block_actions-payload
  actions: z.tuple([Action], Action),
});
type Click = z.infer<typeof Click>;

/** Acks reads at once and stores everything else before the ack. Answers every click. */
export async function onClick(deps: ClickDeps, body: unknown, ack: Ack): Promise<void> {
  const { lanes } = deps;
  const click = Click.parse(body);
  const [action] = click.actions;
  // A link opens in the browser; Slack reports it and only wants an ack.
  if (action.url !== undefined) return ack();
  if (deps.repeats.isRepeat(click.trigger_id === "" ? action.action_ts : click.trigger_id)) return ack();
  const origin = originOf(deps, click);
  if (lanes.isStopping()) {
    await ack();
    await lanes.track(deps.responder.tellPatiently(sentences.restarting(), origin));
    return;
  }
  if (isRunButton(action.action_id)) return onRunClick(deps, runOf(click, origin), ack);
  const { view } = click;
  const { action_id: actionId, block_id: blockId, action_ts: actionTs } = action;
  if (view !== undefined && view.type !== "home") return onViewClick(deps, { view, actionId, blockId, actionTs }, ack);
  const about = cardAction(actionId);
  if (about !== undefined) return onCard(deps, { about, ...cardOf(click, origin) }, ack);
  await ack();
  return onAcked(deps, click, origin);
}

function cardOf({ actions: [action], container, trigger_id: triggerId }: Click, origin: Origin) {
  // A message for one person is never a card, and a request in a list is decided beside its card.
  const isBeside = container.is_ephemeral === true || action.block_id.startsWith(BESIDE_CARD);
  const ts = isBeside ? undefined : container.message_ts;
  const card = ts === undefined ? undefined : { channelId: origin.channelId, ts };
  const id = triggerId === "" ? action.action_ts : triggerId;
  return { id, changeId: action.value ?? action.selected_option?.value ?? "", card, origin, triggerId };
}

function runOf(click: Click, origin: Origin) {
  const { actions, container, trigger_id } = click;
  const [{ action_id: actionId, value = "", action_ts }] = actions;
  const triggerId = trigger_id === "" ? action_ts : trigger_id;
  return { actionId, value, triggerId, messageTs: container.message_ts, origin: inThread(click, origin) };
}

/** Clicks that only open a form or read. */
function onAcked(deps: ClickDeps, click: Click, origin: Origin): Promise<void> | undefined {
  const { actions, trigger_id: triggerId } = click;
  const [{ action_id: actionId, block_id: blockId, value: own, selected_option: chosen }] = actions;
  const value = own ?? chosen?.value ?? "";
  if (homeAction(actionId) !== undefined) return onHomeClick(deps, { actionId, blockId, value, origin, triggerId });
  const opening = openingIn(actionId, value, blockId);
  if (opening !== undefined) return openVerbForm(deps, { ...opening, origin: inThread(click, origin), triggerId });
  const tell = (message: Message): Promise<unknown> => deps.lanes.track(deps.responder.tellPatiently(message, origin));
  return onReadClick(deps, { actionId, blockId, value, origin, threadTs: click.container.thread_ts, tell });
}

/** A button in a thread opens a form whose answer goes into that thread. */
function inThread({ container: { thread_ts: threadTs, is_ephemeral } }: Click, origin: Origin): Origin {
  if (threadTs === undefined || isDirect(origin.channelId)) return origin;
  return { ...origin, threadTs, isNewThread: is_ephemeral === true };
}

const HomeMetadata = z.object({ page: z.number().int().min(0) });

/** The page that the person was looking at, so that a redraw stays there. */
function atHome({ private_metadata }: CarriedView): Pick<Origin, "isHome" | "homePage"> {
  return { isHome: true, homePage: HomeMetadata.safeParse(jsonIn(private_metadata)).data?.page };
}

function originOf(
  { people }: Pick<ClickDeps, "people">,
  { user, team, channel, container, response_url, view }: Click,
): Origin {
  const channelId = channel?.id ?? container.channel_id;
  const common = { userId: user.id, teamId: people.bot().teamId ?? team?.id ?? "" };
  // A click on Home or in a form comes from no channel.
  if (channelId === undefined) return { ...common, channelId: user.id, ...(view?.type === "home" && atHome(view)) };
  return {
    ...common,
    channelId,
    responseUrl: response_url,
    replaces: container.is_ephemeral === true ? "ephemeral" : "in_channel",
  };
}

import { z } from "zod";
import type { Message } from "../../views/kit/message.ts";
import type { Ack } from "./ack.ts";
import { cardAction, onCard } from "./card-click.ts";
import { openingIn } from "../modals/form-button.ts";
import { openVerbForm } from "../modals/open-form.ts";
import { homeAction, onHomeClick } from "../home/click.ts";
import { onReadClick } from "./read-click.ts";
import { isDirect, type Origin } from "../../workflow/origin.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Shell } from "../../workflow/shell.ts";
import { onViewClick } from "../modals/view-click.ts";
import { CarriedView } from "./view-payload.ts";

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
  // There is always one: https://docs.slack.dev/reference/interaction-payloads/block_actions-payload
  actions: z.tuple([Action], Action),
});
type Click = z.infer<typeof Click>;

/** A click: what only looks is acked at once, what changes something is stored before. Each one is answered. */
export async function onClick(shell: Shell, body: unknown, ack: Ack): Promise<void> {
  const { lanes } = shell;
  const click = Click.parse(body);
  const [action] = click.actions;
  // A link opens by itself; Slack tells us of it all the same, and waits for nothing but the ack.
  if (action.url !== undefined) return ack();
  if (shell.repeats.isRepeat(click.trigger_id === "" ? action.action_ts : click.trigger_id)) return ack();
  const origin = originOf(shell, click);
  if (lanes.isStopping()) {
    await ack();
    return lanes.track(shell.poster.tell(sentences.restarting(), origin));
  }
  const { view } = click;
  const { action_id: actionId, block_id: blockId } = action;
  if (view !== undefined && view.type !== "home") return onViewClick(shell, { view, actionId, blockId }, ack);
  const about = cardAction(actionId);
  if (about !== undefined) return onCard(shell, { about, ...cardOf(click, origin) }, ack);
  await ack();
  return onAcked(shell, click, origin);
}

/** What was clicked on the card of a Change. */
function cardOf({ actions: [action], container, trigger_id: triggerId }: Click, origin: Origin) {
  const ts = container.message_ts;
  const card = ts === undefined ? undefined : { channelId: origin.channelId, ts };
  const id = triggerId === "" ? action.action_ts : triggerId;
  return { id, changeId: action.value ?? "", card, origin, triggerId };
}

/** What changes nothing by itself: it opens a form, or looks. */
function onAcked(shell: Shell, click: Click, origin: Origin): Promise<void> | undefined {
  const { actions, trigger_id: triggerId } = click;
  const [{ action_id: actionId, block_id: blockId, value: own, selected_option: chosen }] = actions;
  const value = own ?? chosen?.value ?? "";
  if (homeAction(actionId) !== undefined) return onHomeClick(shell, { actionId, value, origin, triggerId });
  const opening = openingIn(actionId, value);
  if (opening !== undefined) return openVerbForm(shell, { ...opening, origin: inThread(click, origin), triggerId });
  const tell = (message: Message): Promise<void> => shell.lanes.track(shell.poster.tell(message, origin));
  return onReadClick(shell, { actionId, blockId, value, origin, tell });
}

/** A button in a thread opens a form whose answer goes into that thread, as what was said there does. */
function inThread({ container: { thread_ts: threadTs, is_ephemeral } }: Click, origin: Origin): Origin {
  if (threadTs === undefined || isDirect(origin.channelId)) return origin;
  return { ...origin, threadTs, isNewThread: is_ephemeral === true };
}

function originOf({ identity }: Shell, { user, team, channel, container, response_url, view }: Click): Origin {
  const channelId = channel?.id ?? container.channel_id;
  const common = { userId: user.id, teamId: identity.teamId() ?? team?.id ?? "" };
  // A click on Home or in a form comes from no channel.
  if (channelId === undefined) return { ...common, channelId: user.id, ...(view?.type === "home" && { isHome: true }) };
  return {
    ...common,
    channelId,
    responseUrl: response_url,
    replaces: container.is_ephemeral === true ? "ephemeral" : "in_channel",
  };
}

import { z } from "zod";
import { Ask } from "../commands/ask.ts";
import type { ReadCommand } from "../commands/command.ts";
import { commandOf } from "../commands/parse.ts";
import { UserError } from "../errors.ts";
import type { Message } from "../views/message.ts";
import type { Ack } from "./ack.ts";
import { cardAction, onCard } from "./card-click.ts";
import type { Place } from "./place.ts";
import { answerRead } from "./read.ts";
import { sentences } from "./sentence.ts";
import type { Asked, Shell } from "./shell.ts";

/** https://docs.slack.dev/reference/interaction-payloads/block_actions-payload */
const Click = z.object({
  trigger_id: z.string().optional(),
  user: z.object({ id: z.string() }),
  team: z.object({ id: z.string() }).nullish(),
  channel: z.object({ id: z.string() }).optional(),
  container: z
    .object({
      is_ephemeral: z.boolean().optional(),
      channel_id: z.string().optional(),
      message_ts: z.string().optional(),
    })
    .optional(),
  response_url: z.string().optional(),
  actions: z
    .array(
      z.object({
        action_id: z.string().optional(),
        action_ts: z.string().optional(),
        value: z.string().optional(),
        url: z.string().optional(),
      }),
    )
    .min(1),
});
type Click = z.infer<typeof Click>;

/** A click: what only looks is acked at once, what changes something is stored before. Each one is answered. */
export async function onClick(shell: Shell, body: unknown, ack: Ack): Promise<void> {
  const { inflight } = shell;
  const click = Click.parse(body);
  const [action] = click.actions;
  // A link opens by itself; Slack tells us of it all the same, and waits for nothing but the ack.
  if (action?.url !== undefined) return ack();
  const place = placeOf(shell, click);
  const tell = (message: Message): Promise<void> => inflight.track(shell.poster.tell(message, place));
  const id = click.trigger_id ?? action?.action_ts ?? "";
  if (shell.seen.isRepeat(id)) return ack();
  if (inflight.isStopping()) {
    await ack();
    return tell(sentences.restarting());
  }
  const clicked = onCardOf(click, place);
  if (clicked !== undefined) return onCard(shell, { ...clicked, id }, ack);
  await ack();
  return onAsk(shell, { click, place, tell });
}

/** What was clicked on the card of a Change; undefined for every other button. */
function onCardOf({ actions: [action], container, trigger_id: triggerId = "" }: Click, place: Place) {
  const about = cardAction(action?.action_id);
  if (about === undefined) return undefined;
  const ts = container?.message_ts;
  const card = ts === undefined ? undefined : { channelId: place.channelId, ts };
  return { about, changeId: action?.value ?? "", card, place, triggerId };
}

type Asking = { readonly click: Click; readonly place: Place; readonly tell: (message: Message) => Promise<void> };

/** A button that looks: acked already. */
function onAsk(shell: Shell, { click, place, tell }: Asking): Promise<void> | undefined {
  const asked = askOf(click);
  const { command: typed } = shell.settings;
  if (asked === undefined) return tell(sentences.staleButton(typed));
  if (asked.command === "writes") return tell(sentences.writeButton(typed));
  const { command, ask } = asked;
  if (shell.inflight.start((signal) => answerRead(shell, { command, ask, place }, signal))) return undefined;
  return tell(sentences.busy());
}

type Readable = Pick<Asked, "ask"> & { readonly command: ReadCommand };

/** What a button asks for; undefined when it is none of ours, or of a version whose words are no longer known. */
function askOf({ actions: [action] }: Click): Readable | { readonly command: "writes" } | undefined {
  if (action?.action_id?.startsWith("ask:") !== true) return undefined;
  const ask = Ask.safeParse(parsed(action.value));
  if (!ask.success) return undefined;
  try {
    const command = commandOf(ask.data);
    // A button's value can be old, and one day somebody may forge a message: only what looks may hang on it.
    return command.effect === "read" ? { command, ask: ask.data } : { command: "writes" };
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function parsed(value: string | undefined): unknown {
  try {
    return JSON.parse(value ?? "");
  } catch {
    return undefined;
  }
}

function placeOf({ identity }: Shell, { user, team, channel, container, response_url }: Click): Place {
  return {
    userId: user.id,
    teamId: identity.teamId() ?? team?.id ?? "",
    channelId: channel?.id ?? container?.channel_id ?? "",
    responseUrl: response_url,
    replaces: container?.is_ephemeral === true ? "ephemeral" : "in_channel",
  };
}

import { z } from "zod";
import { parseText, type Parsed } from "../commands/parse.ts";
import { UserError } from "../errors.ts";
import type { Message } from "../views/message.ts";
import { usageWithForm } from "../views/usage-with-form.ts";
import { aloud } from "./aloud.ts";
import { dispatch } from "./dispatch.ts";
import { failureMessage } from "./failure.ts";
import type { Place } from "./place.ts";
import { sentences } from "./sentence.ts";
import type { Shell } from "./shell.ts";
import { begunIn } from "./unfinished-words.ts";

/** https://docs.slack.dev/reference/events/app_mention and https://docs.slack.dev/reference/events/message.im */
const Heard = z.object({
  event_id: z.string(),
  team_id: z.string().optional(),
  event: z.object({
    type: z.string(),
    channel_type: z.string().optional(),
    user: z.string().optional(),
    bot_id: z.string().optional(),
    subtype: z.string().optional(),
    text: z.string().default(""),
    channel: z.string().default(""),
    ts: z.string().default(""),
    thread_ts: z.string().optional(),
  }),
});
type Heard = z.infer<typeof Heard>;

/**
 * What was said to the bot: a mention in a channel or a thread, or words in its own conversation. The same grammar as
 * the slash command, which Slack does not run in threads. Bolt has acked it before: an event that is lost with the
 * process comes not again, and the person sees no answer.
 */
export async function onHeard(shell: Shell, body: unknown): Promise<void> {
  const heard = Heard.parse(body);
  const userId = speakerOf(shell, heard);
  if (userId === undefined || shell.seen.isRepeat(heard.event_id)) return;
  const place = placeOf(shell, heard, userId);
  const tell = (message: Message | undefined): Promise<void> =>
    message === undefined ? Promise.resolve() : shell.inflight.track(shell.poster.tell(message, place));
  if (shell.inflight.isStopping()) return tell(sentences.restarting());
  let parsed: Parsed;
  const words = wordsOf(shell, heard.event.text);
  try {
    parsed = parseText(words);
  } catch (error) {
    return tell(notUnderstood(shell, error, words));
  }
  const { command, ask } = parsed;
  return dispatch(shell, { command, ask: aloud(ask, place), place, id: heard.event_id }, tell);
}

/** The sentence; with a button where a form can go on with the words, because what was said here can open none itself. */
function notUnderstood(shell: Shell, error: unknown, words: string): Message {
  const begun = begunIn(words);
  if (begun === undefined || !(error instanceof UserError)) {
    return failureMessage(shell, error, { verb: "?", effect: "read" });
  }
  const { command, values } = begun;
  return usageWithForm(error, { verb: command.name, values }, shell.settings.command);
}

/** The person who speaks to the bot; undefined for bots (ourselves among them), edits, and what is not for us. */
function speakerOf({ identity }: Shell, { event }: Heard): string | undefined {
  const { type, channel_type, user, bot_id, subtype } = event;
  const isForUs = type === "app_mention" || (type === "message" && channel_type === "im");
  const isPlain = subtype === undefined || subtype === "thread_broadcast" || subtype === "file_share";
  if (!isForUs || !isPlain || bot_id !== undefined || user === identity.botUserId()) return undefined;
  return user;
}

function placeOf({ identity }: Shell, { team_id, event }: Heard, userId: string): Place {
  const { channel: channelId, ts, thread_ts, type } = event;
  const teamId = identity.teamId() ?? team_id ?? "";
  // A mention is answered in its thread, or begins one; the conversation with the bot goes on as it is.
  const threadTs = thread_ts ?? (type === "app_mention" ? ts : undefined);
  const isNewThread = thread_ts === undefined;
  return { userId, teamId, channelId, ...(threadTs !== undefined && { threadTs, isNewThread }) };
}

/** What stands behind the mention; people also type the slash command after it. */
function wordsOf({ identity, settings }: Shell, text: string): string {
  const mention = `<@${identity.botUserId() ?? ""}`;
  const at = text.indexOf(mention);
  const behind = at < 0 ? text : text.slice(text.indexOf(">", at) + 1);
  const trimmed = behind.replace(/^[\s,:]+/u, "").trim();
  return trimmed.startsWith(`${settings.command} `) ? trimmed.slice(settings.command.length) : trimmed;
}

import { z } from "zod";
import { parseText, type Parsed, unfinishedForm } from "../../commands/grammar/parse.ts";
import { UserError } from "../../errors.ts";
import type { Message } from "../../views/kit/message.ts";
import { usageWithForm } from "../../views/messages/error-messages.ts";
import { shareInThread } from "./share-in-thread.ts";
import { dispatch } from "../../workflow/dispatch.ts";
import { failureMessage } from "../../workflow/failure.ts";
import type { Origin } from "../../workflow/origin.ts";
import { editNoticeKey, isTooOldToRun, messageKey } from "./message-key.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Shell } from "../../workflow/shell.ts";

const Said = {
  user: z.string().optional(),
  bot_id: z.string().optional(),
  subtype: z.string().optional(),
  text: z.string().default(""),
  ts: z.string().default(""),
  thread_ts: z.string().optional(),
  /** Set on edited messages. Editing a mention sends a new `app_mention` with this field. */
  edited: z.object({ ts: z.string() }).optional(),
};

/** https://docs.slack.dev/reference/events/app_mention and https://docs.slack.dev/reference/events/message.im */
const MentionEvent = z.object({
  event_id: z.string(),
  team_id: z.string().optional(),
  event: z.object({
    ...Said,
    type: z.string(),
    channel_type: z.string().optional(),
    channel: z.string().default(""),
    /** https://docs.slack.dev/reference/events/message/message_changed: the message after the edit. */
    message: z.object(Said).optional(),
  }),
});
type MentionEvent = z.infer<typeof MentionEvent>;

/**
 * What was said to the bot: a mention in a channel or a thread, or words in its own conversation. The same grammar as
 * the slash command, which Slack does not run in threads. Bolt has acked it before: an event that is lost with the
 * process comes not again, and the person sees no answer. Each message runs once. It counts as run once it parsed as a
 * command, whatever the result; until then, an edit is a first attempt.
 */
export async function onMention(shell: Shell, body: unknown): Promise<void> {
  const heard = unwrapped(MentionEvent.parse(body));
  const userId = speakerOf(shell, heard);
  if (userId === undefined || shell.repeats.isRepeat(heard.event_id)) return;
  const origin = originOf(shell, heard, userId);
  const tell = (message: Message | undefined): Promise<void> =>
    message === undefined ? Promise.resolve() : shell.lanes.track(shell.poster.tell(message, origin));
  if (shell.lanes.isStopping()) return tell(sentences.restarting());
  const { ts } = heard.event;
  const key = ts === "" ? heard.event_id : messageKey({ ...origin, ts });
  if (await wasRun(shell, heard, key)) return tellOfEdit(shell, { heard, key }, tell);
  let parsed: Parsed;
  const words = wordsOf(shell, heard.event.text);
  try {
    parsed = parseText(words);
  } catch (error) {
    return tell(notUnderstood(shell, error, words));
  }
  const { command, ask } = parsed;
  await dispatch(shell, { command, ask: shareInThread(ask, origin), origin, id: key }, tell);
  // Writes are stored under this id before they begin.
  if (command.effect === "read" || command.effect === "link" || command.effect === "bind") await noteRead(shell, key);
}

/** Edits in a direct message arrive wrapped; unwraps them to the edited message. */
function unwrapped(heard: MentionEvent): MentionEvent {
  const { message, ...event } = heard.event;
  if (event.subtype !== "message_changed" || message?.edited === undefined) return heard;
  // Takes only fields that a plain message has.
  const { subtype: _subtype, user: _user, bot_id: _bot, ...wrapping } = event;
  return { ...heard, event: { ...wrapping, ...message } };
}

async function wasRun({ store, now, log }: Shell, { event }: MentionEvent, key: string): Promise<boolean> {
  if (event.edited !== undefined && isTooOldToRun(event.ts, now().getTime())) return true;
  try {
    return await store.isKnown(key);
  } catch (err) {
    // Writes fail on the database anyway, and a repeated read is harmless.
    log.warn({ err }, "couldn't check whether a message was already run");
    return false;
  }
}

type Known = { readonly heard: MentionEvent; readonly key: string };

/** Tells the author once that edits are not run. Ignores Slack's redeliveries. */
async function tellOfEdit(
  { store, log, settings }: Shell,
  { heard, key }: Known,
  tell: (message: Message) => Promise<void>,
): Promise<void> {
  if (heard.event.edited === undefined) return;
  try {
    if (await store.remember(editNoticeKey(key))) await tell(sentences.editNotRun(settings.command));
  } catch (err) {
    log.warn({ err }, "couldn't tell an author that edited messages are not run");
  }
}

async function noteRead({ store, log }: Shell, key: string): Promise<void> {
  try {
    await store.remember(key);
  } catch (err) {
    log.warn({ err }, "couldn't record an answered message: editing it will run it again");
  }
}

/** The sentence; with a button where a form can go on with the words, because what was said here can open none itself. */
function notUnderstood(shell: Shell, error: unknown, words: string): Message {
  const begun = unfinishedForm(words);
  if (begun === undefined || !(error instanceof UserError)) {
    return failureMessage(shell, error, { verb: "?", effect: "read" });
  }
  const { command, values } = begun;
  return usageWithForm(error, { verb: command.name, values }, shell.settings.command);
}

/** The person addressing the bot; undefined for bots (including this one) and for other messages. */
function speakerOf({ identity }: Shell, { event }: MentionEvent): string | undefined {
  const { type, channel_type, user, bot_id, subtype } = event;
  const isForUs = type === "app_mention" || (type === "message" && channel_type === "im");
  const isPlain = subtype === undefined || subtype === "thread_broadcast" || subtype === "file_share";
  if (!isForUs || !isPlain || bot_id !== undefined || user === identity.botUserId()) return undefined;
  return user;
}

function originOf({ identity }: Shell, { team_id, event }: MentionEvent, userId: string): Origin {
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

import { regionNames } from "../../commands/command.ts";
import { z } from "zod";
import type { WorkspaceParts } from "../parts.ts";
import { readSlash, readMention } from "../../commands/grammar/mention-words.ts";
import type { Message } from "../../views/kit/post.ts";
import { originOf } from "./payload.ts";
import { ackBody, type Ack } from "./transport.ts";
import { dispatch } from "../../workflow/receive/dispatch.ts";
import { failureMessage } from "../../workflow/reply.ts";
import { openForm } from "../modals/update-view.ts";
import { openVerbForm } from "../modals/open-form.ts";
import { within } from "../../../platform/waiting.ts";
import { followToStop } from "../../workflow/watching/log-follow.ts";
import { confirmMessage } from "../../views/messages/confirm-message.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { menu, type Unfinished } from "../../commands/grammar/parse.ts";
import type { UserError } from "../../errors.ts";
import { type Addressed, addressedBy } from "./addressed.ts";
import type { Origin } from "../../workflow/origin.ts";
import { editNoticeKey, eventKey, isTooOldToRun, messageKey, wasStored } from "./delivery-memory.ts";
import { workloadsFor } from "../../workflow/access/live-workloads.ts";
import { mistakeWithForm } from "../../views/messages/error-messages.ts";

/** https://docs.slack.dev/interactivity/implementing-slash-commands#app_command_handling */
const SlashCommand = z.object({
  command: z.string(),
  text: z.string().default(""),
  user_id: z.string(),
  team_id: z.string().default(""),
  channel_id: z.string(),
  response_url: z.string(),
  trigger_id: z.string(),
});

/** A form has to be opened within three seconds of its command. */
const OFFER_WITHIN_MS = 1_000;

/** A typed command. Nothing slow runs before the ack, except that a change is stored first. */
export async function onSlash(deps: WorkspaceParts, body: unknown, ack: Ack): Promise<void> {
  const typed = SlashCommand.parse(body);
  const say = (message: Message | undefined): Promise<void> =>
    ack(message === undefined ? undefined : ackBody(message));
  if (deps.lanes.isStopping()) return say(sentences.restarting());
  if (deps.repeats.isRepeat(typed.trigger_id)) return ack();
  if (typed.command !== deps.settings.command) return say(sentences.otherCommand(deps.settings.command));
  const id = typed.trigger_id;
  const origin = originOf(deps, typed);
  const meant = readSlash(typed.text, regionNames(deps.settings));
  if (meant.kind === "form") {
    await ack();
    const offer = followToStop(deps, meant.begun, origin);
    const instead = await within(OFFER_WITHIN_MS, offer, () => undefined, deps.clock);
    if (instead !== undefined) return deps.lanes.track(deps.responder.tellPatiently(instead, origin));
    return openVerbForm(deps, { ...meant.begun, origin, triggerId: id });
  }
  if (meant.kind === "confirm") return say(confirmMessage(meant.parsed));
  if (meant.kind === "miss") return say(failureMessage(deps, meant.error, { verb: "?", effect: "read" }));
  const opens = async (view: object): Promise<void> => {
    await ack();
    await openForm(deps, { triggerId: id, view, origin });
  };
  return dispatch(deps, { ...meant.parsed, origin, id, opens }, say);
}

const MessageFields = {
  user: z.string().optional(),
  bot_id: z.string().optional(),
  subtype: z.string().optional(),
  text: z.string().default(""),
  blocks: z.array(z.unknown()).optional().catch(undefined),
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
    ...MessageFields,
    type: z.string(),
    channel_type: z.string().optional(),
    channel: z.string().default(""),
    /** https://docs.slack.dev/reference/events/message/message_changed: the message after the edit. */
    message: z.object(MessageFields).optional(),
  }),
});
type MentionEvent = z.infer<typeof MentionEvent>;

/**
 * A mention in a channel or thread, or a direct message to the bot. It has the slash command's grammar, because Slack doesn't run
 * slash commands in threads, and it understands some sentences. Bolt has already acked the event, so one that is lost with the process doesn't come again.
 * Each message runs at most once. It counts as run when it parses as a command, whatever the result; a message that didn't
 * parse can be corrected by an edit.
 */
export async function onMention(deps: WorkspaceParts, body: unknown): Promise<void> {
  const mention = unwrapped(MentionEvent.parse(body));
  const userId = speakerOf(deps, mention);
  const said = saidIn(deps, mention);
  if (userId === undefined || said === undefined || !(await isOurs(deps, mention.event_id))) return;
  const { channel: channel_id, ts } = mention.event;
  const sent = originOf(deps, { user_id: userId, team_id: mention.team_id, channel_id });
  const origin = { ...sent, ...threadOf(mention) };
  const tell = async (message: Message | undefined): Promise<void> => {
    if (message !== undefined) await deps.lanes.track(deps.responder.tellPatiently(message, origin));
  };
  if (deps.lanes.isStopping()) return tell(sentences.restarting());
  const key = ts === "" ? mention.event_id : messageKey({ ...origin, ts });
  if (await wasRun(deps, mention, key)) return tellOfEdit(deps, { mention, key }, tell);
  const meant = readMention(said, regionNames(deps.settings));
  if (meant.kind === "miss") return tellMistake(deps, { ...meant, origin }, tell);
  if (meant.kind === "confirm") return tell(confirmMessage(meant.parsed));
  const { command, ask } = meant.kind === "menu" ? menu() : meant.parsed;
  await dispatch(deps, { command, ask, origin, id: key }, tell);
  // A request that changes or decides something is stored under its id before it begins.
  if (command.effect !== "write" && command.effect !== "decide") await noteRead(deps, key);
}

/** Edits in a direct message arrive wrapped; unwraps them to the edited message. */
function unwrapped(mention: MentionEvent): MentionEvent {
  const { message, ...event } = mention.event;
  if (event.subtype !== "message_changed" || message?.edited === undefined) return mention;
  // Takes only fields that a plain message has.
  const { subtype: _subtype, user: _user, bot_id: _bot, ...wrapping } = event;
  return { ...mention, event: { ...wrapping, ...message } };
}

/**
 * Whether no replica has the event yet: the one that records it answers. The memory of a replica isn't enough, because
 * Slack may send an event again to another one.
 */
async function isOurs({ repeats, store, log }: WorkspaceParts, eventId: string): Promise<boolean> {
  if (repeats.isRepeat(eventId)) return false;
  try {
    return await store.remember(eventKey(eventId));
  } catch (err) {
    log.warn({ err }, "couldn't record an event: it is answered again if Slack repeats it");
    return true;
  }
}

async function wasRun(deps: WorkspaceParts, { event }: MentionEvent, key: string): Promise<boolean> {
  if (event.edited !== undefined && isTooOldToRun(event.ts, deps.clock.now().getTime())) return true;
  return wasStored(deps, key, "couldn't check whether a message was already run");
}

type Known = { readonly mention: MentionEvent; readonly key: string };

/** Tells the author once that edits are not run. Ignores Slack's redeliveries. */
async function tellOfEdit(
  { store, log, settings }: Pick<WorkspaceParts, "log" | "settings" | "store">,
  { mention, key }: Known,
  tell: (message: Message) => Promise<void>,
): Promise<void> {
  if (mention.event.edited === undefined) return;
  try {
    if (await store.remember(editNoticeKey(key))) await tell(sentences.editNotRun(settings.command));
  } catch (err) {
    log.warn({ err }, "couldn't tell an author that edited messages are not run");
  }
}

async function noteRead({ store, log }: Pick<WorkspaceParts, "log" | "store">, key: string): Promise<void> {
  try {
    await store.remember(key);
  } catch (err) {
    log.warn({ err }, "couldn't record an answered message: editing it will run it again");
  }
}

type Mistaken = { readonly error: UserError; readonly begun?: Unfinished; readonly origin: Origin };

/** If the words only lack something, a button opens the form: a mention can't open one itself. */
async function tellMistake(
  deps: WorkspaceParts,
  { error, begun, origin }: Mistaken,
  tell: (message: Message) => Promise<void>,
): Promise<void> {
  if (begun === undefined) return tell(failureMessage(deps, error, { verb: "?", effect: "read" }));
  const instead = await followToStop(deps, begun, origin);
  if (instead !== undefined) return tell(instead);
  const { command, values } = begun;
  const opening = { verb: command.name, values };
  const { message, next } = error;
  if (values["name"] !== undefined || error.suggestions.length > 0) {
    return tell(mistakeWithForm(error, opening, deps.settings.command));
  }
  const isTaken = deps.lanes.add({ lane: "people", owner: origin.userId }, async (signal) => {
    const suggestions = await workloadsFor(deps, { command, values, origin }, signal);
    await deps.responder.tellPatiently(
      mistakeWithForm({ message, next, suggestions }, opening, deps.settings.command),
      origin,
    );
  });
  if (!isTaken) return tell(sentences.busy());
}

/** The person addressing the bot; undefined for bots (including this one) and for other messages. */
function speakerOf({ people }: Pick<WorkspaceParts, "people">, { event }: MentionEvent): string | undefined {
  const { type, channel_type, user, bot_id, subtype } = event;
  const isForUs = type === "app_mention" || (type === "message" && channel_type === "im");
  const isPlain = subtype === undefined || subtype === "thread_broadcast" || subtype === "file_share";
  if (!isForUs || !isPlain || bot_id !== undefined || user === people.bot().userId) return undefined;
  return user;
}

/** A mention is answered in a thread; a direct message is answered where it is. */
function threadOf({ event: { type, ts, thread_ts } }: MentionEvent): Pick<Origin, "threadTs" | "isNewThread"> {
  const threadTs = thread_ts ?? (type === "app_mention" ? ts : undefined);
  return threadTs === undefined ? {} : { threadTs, isNewThread: thread_ts === undefined };
}

/** What the message says to the bot. People also type the slash command after the mention. */
function saidIn({ people, settings }: WorkspaceParts, { event }: MentionEvent): Addressed | undefined {
  const said = addressedBy({ ...event, isDirect: event.channel_type === "im" }, people.bot().userId);
  if (said === undefined || !said.text.startsWith(`${settings.command} `)) return said;
  return { ...said, text: said.text.slice(settings.command.length) };
}

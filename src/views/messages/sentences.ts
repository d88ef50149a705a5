import { section } from "../kit/blocks.ts";
import type { Message, Post } from "../kit/message.ts";
import { post } from "../kit/post.ts";
import { channel, code, words } from "../kit/inline.ts";

/** A message of one or two sentences, with code between backticks. */
export function sentence(text: string): Message {
  return post(text.replaceAll("`", ""), [section(text)]);
}

/** Messages about deliveries, not about workloads. `command` is the slash command. */
export const sentences = {
  restarting: () => sentence("Gantry is restarting, and did nothing with this. Try again in a moment."),
  busy: () => sentence("Gantry has more to do than it can take in, and did nothing with this. Try again in a minute."),
  askedAlready: (kind: "waiting" | "undo") =>
    sentence(
      kind === "undo"
        ? "Somebody already asked to undo this. Nothing was asked again."
        : "An equal request already waits for approval. Nothing was asked again.",
    ),
  editNotRun: (command: string) =>
    sentence(
      `I don't run edited messages: this one was handled when you first sent it. To run it again, send a new message, or type \`${command}\` with the same words.`,
    ),
  notStored: (reference: string, command: string) =>
    sentence(
      `Not started: the database didn't confirm that your command was saved, so it won't run. Check \`${command} pending\` before you try again. If this keeps happening, give your Gantry admin the reference \`${reference}\`.`,
    ),
  otherCommand: (command: string) =>
    sentence(`This Gantry listens to \`${command}\`, not to the command you typed. Type \`${command} help\`.`),
  staleButton: (command: string) =>
    sentence(
      `This button does nothing: it is from another version of Gantry, or not from Gantry. Type \`${command} help\` to see what there is.`,
    ),
  nothingChosen: () =>
    sentence(
      "Nothing was chosen: that line only says why there is no list. Type a name into the menu, or open it again later.",
    ),
  writeButton: (command: string) =>
    sentence(`This button would change something, and buttons here only look. Type the command: \`${command} help\`.`),
  unknownShortcut: (command: string) =>
    sentence(`Gantry has no such shortcut. Type \`${command} help\` to see what there is.`),
  unknownForm: (command: string) =>
    sentence(
      `Gantry does not know this form, so nothing was done with it. Type \`${command} help\` to see what there is.`,
    ),
  readStopped: () => sentence("Gantry stopped before it could answer. Nothing was changed; ask again in a moment."),
  writeStopped: () => sentence("Gantry stopped before it began. Nothing was sent; ask again in a moment."),
  storeAway: (reference: string) =>
    sentence(
      `Gantry lost its database in the middle of this. What was not sent yet will not be sent twice: Gantry goes on by itself when the database is back, and the card says how it ended. Reference \`${reference}\`.`,
    ),
  neverBegan: (verb: string) =>
    sentence(`Gantry stopped before it began your \`${verb}\`. Nothing was sent; ask again if you still want it.`),
  noForm: (command: string) =>
    sentence(`Slack did not open the form in time, and nothing was done. Try again, or type \`${command} help\`.`),
  formRefused: (reason: string, reference: string) =>
    sentence(
      `The form didn't open: ${reason}. Nothing was done. Give your Gantry admin the reference \`${reference}\`.`,
    ),
  needsCommand: (command: string) =>
    sentence(
      `A form can be opened only from a command: type \`${command} connect\` outside of a thread. A token never stands in a message.`,
    ),
  noChannel: () =>
    sentence(
      "A conversation with Gantry has no account of its own. Type it in a channel, or choose one; without `channel` it is about your own account.",
    ),
  fileElsewhere: () =>
    sentence(
      "The file is in your conversation with Gantry: it is for your eyes, and a file here would be for everybody.",
    ),
  threadIncomplete: (reference: string) =>
    sentence(
      `The thread is not complete: Slack did not take all of it. Ask again, or tell who runs Gantry here the reference \`${reference}\`.`,
    ),
} as const;

/** Why an answer is for the asker's eyes only, and how the bot is let into the channel. */
export function inviteHint(channelId: string, botName: string): Post {
  const invite = `/invite @${botName}`;
  return post(`Only you see this: Gantry cannot post in this channel. To let it in, type ${invite}`, [
    section([
      words("Only you see this: Gantry cannot post in "),
      channel(channelId),
      words(". To let it in, type "),
      code(invite, 100),
      words(" there."),
    ]),
  ]);
}

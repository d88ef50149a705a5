import { section } from "../kit/blocks.ts";
import { type Message, type Post, post } from "../kit/post.ts";
import { channel, code, words } from "../kit/inline.ts";

/** A message of one or two sentences, with code between backticks. */
export function sentence(text: string): Message {
  return post(text.replaceAll("`", ""), [section(text)]);
}

/** Of what a button of the app names and the database doesn't have. */
export const unknownWhy =
  "It may be too old, from another workspace, or from another Gantry on this Slack app. If it's new, click again, and tell your Gantry admin.";

const keepsHappening = (reference: string) =>
  `If this keeps happening, contact your Gantry admin. Reference \`${reference}\``;
const allCommands = (command: string) => `To see all commands: \`${command} help\``;

/** Messages about deliveries, not about workloads. `command` is the slash command. */
export const sentences = {
  restarting: () => sentence("I'm restarting. Nothing was changed. Try again in a moment."),
  notHandled: (reference: string) =>
    sentence(`Something went wrong in Gantry. Nothing was changed. Try again. ${keepsHappening(reference)}`),
  working: () => sentence("⏳ Working on it. The answer follows here."),
  busy: () => sentence("I'm too busy right now. Nothing was changed. Try again in a minute."),
  askedAlready: (kind: "waiting" | "undo") =>
    sentence(
      kind === "undo"
        ? "The undo of this request already exists. Nothing new was requested."
        : "The same request is already waiting for approval. Nothing new was requested.",
    ),
  editNotRun: (command: string) =>
    sentence(`I don't run edited messages. To run this one again, send a new message or use \`${command}\`.`),
  notStored: (reference: string, command: string) =>
    sentence(
      `Not started: the database didn't confirm your request, so it won't run. Check \`${command} pending\`, then try again. ${keepsHappening(reference)}`,
    ),
  notInstalled: (installUrl: string) =>
    sentence(`Gantry isn't installed in this workspace. Nothing was changed. To install it: ${installUrl}`),
  otherCommand: (command: string) => sentence(`I answer to \`${command}\`. ${allCommands(command)}`),
  staleButton: (command: string) =>
    sentence(`This button is from another version of Gantry. Nothing was changed. ${allCommands(command)}`),
  nothingChosen: () =>
    sentence("Nothing was chosen: that entry is only a message. Type a name into the menu, or open it again later."),
  writeButton: (command: string) =>
    sentence(`This button can't change anything. Nothing was changed. Type the command instead: \`${command} help\``),
  unknownShortcut: (command: string) => sentence(`I don't know this shortcut. ${allCommands(command)}`),
  unknownForm: (command: string) =>
    sentence(`This form is from another version of Gantry. Nothing was changed. ${allCommands(command)}`),
  readStopped: () => sentence("I was stopped before I could answer. Nothing was changed. Try again in a moment."),
  writeStopped: () => sentence("I was stopped before I started. Nothing was changed. Try again in a moment."),
  storeAway: (reference: string, effect: "read" | "write") =>
    sentence(
      effect === "read"
        ? `I can't reach my database. Nothing was changed. Try again in a minute. ${keepsHappening(reference)}`
        : `I lost my database while handling this. I'll continue when it is back, and never send a request twice. The card will show the outcome. Reference \`${reference}\``,
    ),
  restored: (verb: string) =>
    sentence(
      `Gantry was restored from a backup, and your \`${verb}\` may have run before that. Nothing is sent again. Check the workload, then try again if you still need it.`,
    ),
  neverBegan: (verb: string) =>
    sentence(`I was stopped before I started your \`${verb}\`. Nothing was changed. Try again if you still need it.`),
  noForm: (command: string) =>
    sentence(
      `Slack didn't open the form in time. Nothing was changed. Try again, or type the command: \`${command} help\``,
    ),
  formRefused: (reason: string, reference: string) =>
    sentence(`The form didn't open: ${reason}. Nothing was changed. ${keepsHappening(reference)}`),
  needsCommand: (command: string) =>
    sentence(
      `Never send a token in a message. To connect an account, type \`${command} connect\` outside a thread: it opens a form.`,
    ),
  unknownIncident: () => sentence(`I don't know this incident. Nothing was changed. ${unknownWhy}`),
  incidentOver: () => sentence("This incident is over. Nothing was changed."),
  onItAlready: () => sentence("You're on it already. Nothing was changed."),
  notOnIt: (name: string | undefined) =>
    sentence(`${name === undefined ? "Nobody is on it" : `${name} is on it now, not you`}. Nothing was changed.`),
  notAPerson: (name: string) =>
    sentence(`${name} is an app or a deactivated account. Nothing was changed. Choose somebody else.`),
  notInChannel: (name: string) =>
    sentence(`${name} isn't in this channel. Nothing was changed. Invite them first, or choose somebody else.`),
  mayNotSee: (name: string) =>
    sentence(`Policy hides some of this incident from ${name}. Nothing was changed. Choose somebody else.`),
  followIsOver: () => sentence("I'm not following this log."),
  followIsOthers: () => sentence("Only people who may read this log can stop following it. Nothing was changed."),
  noChannel: () =>
    sentence(
      "A direct message has no channel account. Use `connect channel` or `disconnect channel` in a channel, or leave out `channel` for your own account.",
    ),
  policyNamesOldId: ({ from, to, source, rules }: OldId) =>
    sentence(
      `⚠️ Slack gave this channel a new ID. Everything set up here goes on, but these rules of ${source} name the old one: ${rules.join(", ")}. Ask your Gantry admin to replace ${from} with ${to} there.`,
    ),
  fileElsewhere: () => sentence("Only you should see this file, so I sent it to you as a direct message."),
  threadIncomplete: (reason: string, isTemporary: boolean, reference: string) =>
    sentence(
      `Couldn't post the whole thread: ${reason}. ${isTemporary ? "Try again in a minute" : "Contact your Gantry admin"}. Reference \`${reference}\``,
    ),
  formNotFilled: (reason: string, reference: string) =>
    sentence(
      `The form couldn't be drawn: ${reason}. Nothing was changed. Close it and try again, or type the command. ${keepsHappening(reference)}`,
    ),
} as const;

type OldId = {
  readonly from: string;
  readonly to: string;
  /** The name of the policy file. */
  readonly source: string;
  readonly rules: readonly string[];
};

/** Why only the asker sees an answer, and how to invite the bot. */
export function inviteHint(channelId: string, botName: string): Post {
  const invite = `/invite @${botName}`;
  return post(`Only you can see this: I can't post in this channel. Invite me with ${invite}`, [
    section([
      words("Only you can see this: I can't post in "),
      channel(channelId),
      words(". Invite me with "),
      code(invite, 100),
      words("."),
    ]),
  ]);
}

/** Texts that don't know the deployment's slash command say `/gantry`; people read the command they can type. */
export function withCommand(text: string, command: string): string {
  return text.replaceAll("`/gantry ", `\`${command} `);
}

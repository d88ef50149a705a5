import { z } from "zod";

/** Where an interaction came from, and so where its answer goes. */
export const Origin = z.object({
  userId: z.string(),
  /** The workspace in which the bot is installed. */
  teamId: z.string(),
  /** A channel; or the person's id, for their conversation with the bot, when it came from no channel. */
  channelId: z.string(),
  /** The address of this very interaction: 5 uses, 30 minutes, member of the channel or not. */
  responseUrl: z.string().optional(),
  /** The thread in which it was said to the bot, and so in which it is answered; none for a command or a click. */
  threadTs: z.string().optional(),
  /** That thread has no reply yet: Slack shows words for one person only in threads that are under way. */
  isNewThread: z.boolean().optional(),
  /** The message under the clicked button, which the answer takes the place of; nothing after a typed command. */
  replaces: z.enum(["ephemeral", "in_channel"]).optional(),
  /** The username of the account whose workloads the clicked message or the form showed. Without it, the person's own here. */
  account: z.string().optional(),
  /** The channel was chosen in a form: nobody has seen yet whether the person is in it. */
  isChosen: z.boolean().optional(),
  /** It came from the person's Home, which is redrawn with the result. */
  isHome: z.boolean().optional(),
  /** The page of workloads that Home showed, from 0. */
  homePage: z.number().int().min(0).optional(),
  /** Of a stored one: W3C's `traceparent`, with which any replica goes on in its trace. */
  trace: z.string().optional(),
});
export type Origin = z.infer<typeof Origin>;

/**
 * Whether nobody but this person and the bot is there. Slack's ids of conversations with one person begin with D, and a
 * message that is posted to a person's id goes there: https://docs.slack.dev/reference/methods/chat.postMessage#channels
 */
export function isDirect(channelId: string): boolean {
  return /^[DUW]/u.test(channelId);
}

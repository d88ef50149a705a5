import { z } from "zod";

/**
 * A person's request from words, a form, a button or a mention: a verb, its arguments before its schema transforms
 * them, and the parts shared by verbs. Plain data, so that a button can carry it.
 */
export const Ask = z.object({
  verb: z.string(),
  /** The region of services; the default without it. Jobs are always in the region for jobs. */
  region: z.string().optional(),
  /** Answers into the channel instead of to the asker only. */
  share: z.boolean(),
  /** Why, for approvers and history. Only writes and rejections have one. */
  reason: z.string().optional(),
  /** Runs a write at once, where a rule allows that. */
  breakGlass: z.boolean().optional(),
  /** Its author confirmed that it is meant again, although the same request just ran. */
  again: z.boolean().optional(),
  /** Its author was shown that Gantry itself goes down, or which changes of others it takes back: a digest of these lines. */
  confirmed: z.string().optional(),
  args: z.record(z.string(), z.unknown()),
});
export type Ask = z.infer<typeof Ask>;

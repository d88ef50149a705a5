import { z } from "zod";

/**
 * What a person asked for, whichever way it came: a verb, its arguments as that verb's own schema has them, and what
 * every verb knows. Plain data, so that a button can carry it.
 */
export const Ask = z.object({
  verb: z.string(),
  /** Where services are looked for; the configured default without it. Jobs are always in `us`. */
  region: z.string().optional(),
  /** Answer into the channel instead of for the asker only. */
  share: z.boolean(),
  /** Of a write: why, for those who approve and for history. */
  reason: z.string().optional(),
  /** Of a write: run at once, where a rule lets somebody on call do that. */
  breakGlass: z.boolean().optional(),
  args: z.record(z.string(), z.unknown()),
});
export type Ask = z.infer<typeof Ask>;

import { z } from "zod";

/**
 * - `accepted`: stored before the ack; nothing was sent
 * - `claimed`: about to be sent, or sent
 * - `done`, `asked`, `failed`, `unknown`: how it ended, as the Outcome says
 * - `refused`: it ended before anything was sent, and the person was told why
 * - `told`: the process died before it began, and the person was told so
 */
export const RunState = z.enum(["accepted", "claimed", "done", "asked", "failed", "unknown", "refused", "told"]);
export type RunState = z.infer<typeof RunState>;

/** How a run may end. */
export type Settled = Exclude<RunState, "accepted" | "claimed">;

/** A row as it comes out of the database. */
export const RunRow = z.object({
  id: z.string(),
  delivery_id: z.string(),
  verb: z.string(),
  user_id: z.string(),
  channel_id: z.string(),
  response_url: z.string(),
  region: z.string().nullable(),
  kind: z.string().nullable(),
  name: z.string().nullable(),
  state: RunState,
  created_at: z.iso.datetime(),
  claimed_at: z.iso.datetime().nullable(),
  settled_at: z.iso.datetime().nullable(),
});
export type RunRow = z.infer<typeof RunRow>;

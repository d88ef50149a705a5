import { z } from "zod";
import { Snapshot } from "./snapshot.ts";

/**
 * How the execution of a Change ended, in words that keep "asked" and "took effect" apart.
 * - `done`: the workload was read back and is as asked. `alsoMoved` names what else changed meanwhile.
 * - `asked`: the service accepted, and what was read back does not show it yet, or cannot show it (a restart).
 * - `failed`: it did not happen: refused, never sent, or without any effect.
 * - `unknown`: the request may have reached the service and no answer came; it is never sent again by itself.
 */
export const Outcome = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done"), after: Snapshot, alsoMoved: z.array(z.string()).readonly() }).readonly(),
  z.object({ kind: z.literal("asked"), after: Snapshot, why: z.string() }).readonly(),
  z.object({ kind: z.literal("failed"), why: z.string(), next: z.string() }).readonly(),
  z
    .object({
      kind: z.literal("unknown"),
      after: z.union([z.literal("unread"), Snapshot]),
      why: z.string(),
      next: z.string(),
    })
    .readonly(),
]);
export type Outcome = z.output<typeof Outcome>;

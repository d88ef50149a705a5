import { z } from "zod";
import type { Sealer } from "../../accounts/seal.ts";
import { Ask } from "../../commands/ask.ts";
import { FormMetadata } from "../../slack/modals/form-metadata.ts";
import { Place } from "../origin.ts";

const changeId = z.string();

/** A form that was sent. Sealed with the rest: its values can be secrets. */
export const SentForm = z.object({
  viewId: z.string(),
  metadata: FormMetadata,
  values: z.record(z.string(), z.string()),
});
export type SentForm = z.infer<typeof SentForm>;

/** What a person did that must not be lost: stored, sealed, before Slack's request is answered. */
export const Deed = z.discriminatedUnion("kind", [
  /** A write, in words, or from the button of a finished Change. */
  z.object({
    kind: z.literal("ask"),
    ask: Ask,
    undoOf: z.string().optional(),
    place: Place,
    /** The form it was asked for in: it says there how it went, and stands there again when it did not. */
    form: SentForm.optional(),
  }),
  z.object({
    kind: z.literal("decide"),
    decision: z.enum(["approve", "reject", "cancel"]),
    changeId,
    reason: z.string().optional(),
    /** The message whose button was clicked; none for words. */
    card: z.object({ channelId: z.string(), ts: z.string() }).optional(),
    place: Place,
  }),
  /** Undo or ask again: the Ask is taken from the Change itself. */
  z.object({
    kind: z.literal("anew"),
    how: z.enum(["undo", "again"]),
    changeId,
    card: z.object({ channelId: z.string(), ts: z.string() }).optional(),
    place: Place,
  }),
  z.object({
    kind: z.literal("connect"),
    whose: z.enum(["mine", "channel"]),
    username: z.string(),
    token: z.string(),
    viewId: z.string(),
    place: Place,
  }),
  z.object({ kind: z.literal("disconnect"), whose: z.enum(["mine", "channel"]), place: Place }),
  z.object({
    kind: z.literal("use"),
    /** What the channel is bound to; without it the binding is taken away. */
    terms: z
      .object({
        region: z.string().optional(),
        account: z.string().optional(),
        names: z.string().optional(),
        isLocked: z.boolean(),
      })
      .optional(),
    place: Place,
  }),
]);
export type Deed = z.infer<typeof Deed>;

/** Sealed, because it can hold a token, values of environment variables, and an address that can post in Slack. */
export function sealDeed(sealer: Sealer, deliveryId: string, deed: Deed): string {
  return sealer.seal(JSON.stringify(deed), ["delivery", deliveryId]);
}

/** Throws a `SealError` when it was sealed with a key that is not there, or for another delivery. */
export function openDeed(sealer: Sealer, delivery: { readonly id: string; readonly sealed: string }): Deed {
  return Deed.parse(JSON.parse(sealer.open(delivery.sealed, ["delivery", delivery.id])));
}

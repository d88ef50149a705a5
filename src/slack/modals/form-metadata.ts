import { createHash } from "node:crypto";
import { z } from "zod";
import type { Command } from "../../commands/command.ts";
import type { FormValues } from "../../commands/forms/form.ts";
import { isDirect, Origin } from "../../workflow/origin.ts";

/** What an open form knows besides its fields; it comes back with each click in it, in Slack's `private_metadata`. */
export const FormMetadata = z.object({
  verb: z.string(),
  origin: Origin,
  /** It was opened where there is no channel, so it asks for one. */
  asksWhere: z.boolean().default(false),
  /** The rarer fields are shown. */
  isMore: z.boolean().default(false),
  /** Raised for a field that got another first value: Slack keeps what stands in a field of the same block_id. */
  generations: z.record(z.string(), z.int()).default({}),
  /** Digests of values that were read and not typed, by field: when another workload is chosen, others take their place. */
  filled: z.record(z.string(), z.string()).default({}),
  /** The workload that it was filled from. */
  like: z.string().optional(),
  /** It was sent, and how it went is not known yet. */
  isSent: z.boolean().optional(),
  /** What it would do takes a reason, by the rule that decides. */
  needsReason: z.boolean().optional(),
  /** Of the values whose preview stands in it. */
  previewed: z.string().optional(),
});
export type FormMetadata = z.infer<typeof FormMetadata>;

/** What is done in a channel: a card stands there, or the channel itself is changed. Everything else answers who asked. */
const inChannels: ReadonlySet<Command["effect"]> = new Set(["write", "bind", "link"]);

/** Of a form that was just opened; where it needs a channel and there is none, it asks for one. */
export function newMetadata({ name, effect }: Pick<Command, "name" | "effect">, origin: Origin): FormMetadata {
  // The form answers beside what was clicked.
  const { replaces: _replaces, ...beside } = origin;
  return {
    verb: name,
    origin: beside,
    asksWhere: inChannels.has(effect) && isDirect(origin.channelId),
    isMore: false,
    generations: {},
    filled: {},
  };
}

/** Tells equal values: a preview is of what stands in the form, or it is none. */
export function valuesDigest(values: FormValues): string {
  const sorted = Object.entries(values).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return digest(JSON.stringify(sorted));
}

/** Tells equal values of one field. */
export function digest(value: string): string {
  return createHash("sha256").update(value).digest("base64url").slice(0, 16);
}

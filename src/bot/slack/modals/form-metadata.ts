import { createHash } from "node:crypto";
import { z } from "zod";
import type { Command } from "../../commands/command.ts";
import type { FormFacts, FormValues } from "../../commands/forms/form.ts";
import { isDirect, Origin } from "../../workflow/origin.ts";

const FormOption = z.object({ value: z.string(), text: z.string(), description: z.string().optional() });

/** Bytes: Slack takes 3,000 characters of metadata, and the rest of it has to have room. */
const MOST_OPTIONS = 1_600;

/** As many as there is room for, the first ones. */
export function keptOptions(options: FormFacts["options"] = {}): FormMetadata["options"] {
  let room = MOST_OPTIONS;
  return Object.fromEntries(
    Object.entries(options).map(([id, all]) => [
      id,
      all.filter((each) => (room -= Buffer.byteLength(JSON.stringify(each))) >= 0),
    ]),
  );
}

/** State of an open form besides its fields. It comes back with each click and the submission, as Slack's `private_metadata`. */
const Metadata = z.object({
  verb: z.string(),
  origin: Origin,
  /** It was opened outside of any channel, so it asks for one. */
  asksWhere: z.boolean().default(false),
  /** The rarer fields are shown. */
  isMore: z.boolean().default(false),
  /** Raised when a field gets another value: Slack keeps the typed value of a block whose id stays the same. */
  generations: z.record(z.string(), z.int()).default({}),
  /** Digests of values that were read and not typed, by field. Another choice replaces them. */
  filled: z.record(z.string(), z.string()).default({}),
  /** What the read found to choose from, by field. */
  options: z.record(z.string(), z.array(FormOption)).optional(),
  /** Digest of the workload and region that the form was read for. */
  about: z.string().optional(),
  /** It shows that it reads, without the fields that the read may fill. */
  isReading: z.boolean().optional(),
  /** The workload to create another one like. */
  like: z.string().optional(),
  /** The account that it acts for, when that isn't the one of a command that the person types here. */
  otherAccount: z.string().optional(),
  /** It was sent, and the outcome is not known yet. */
  isSent: z.boolean().optional(),
  /** The rule that decides asks for a reason. */
  needsReason: z.boolean().optional(),
  /** Digest of the values whose preview is shown. */
  previewed: z.string().optional(),
});
/** Version 0.1.0 said `place` for `origin`; its forms can still be open, or stored with a delivery. */
export const FormMetadata = z.preprocess((stored) => {
  const { place, ...rest } = z.looseObject({ place: z.unknown() }).safeParse(stored).data ?? {};
  return place === undefined ? stored : { ...rest, origin: place };
}, Metadata);
export type FormMetadata = z.infer<typeof FormMetadata>;

/** A form that was sent, as it is stored with its delivery. */
export const SentForm = z.object({
  viewId: z.string(),
  metadata: FormMetadata,
  values: z.record(z.string(), z.string()),
});
export type SentForm = z.infer<typeof SentForm>;

/** These need a channel: for a card, or because they change the channel itself. Everything else answers the asker. */
const inChannels: ReadonlySet<Command["effect"]> = new Set(["write", "bind", "link"]);

/** A shortcut of the composer has no channel. The form asks for one, so that the answer comes where the person is. */
function asksWhere(effect: Command["effect"], { channelId, userId, isHome }: Origin): boolean {
  if (!isDirect(channelId)) return false;
  return inChannels.has(effect) || (effect === "read" && channelId === userId && isHome !== true);
}

export function newMetadata({ name, effect }: Pick<Command, "name" | "effect">, origin: Origin): FormMetadata {
  // The form answers below the message whose button opened it.
  const { replaces: _replaces, ...beside } = origin;
  return {
    verb: name,
    origin: beside,
    asksWhere: asksWhere(effect, origin),
    isMore: false,
    generations: {},
    filled: {},
  };
}

/**
 * Equal for equal values: a preview counts only for the values it was made of. A reason changes nothing in it, so it can
 * still be entered below.
 */
export function valuesDigest({ reason: _reason, ...values }: FormValues): string {
  const sorted = Object.entries(values).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return digest(JSON.stringify(sorted));
}

export function digest(value: string): string {
  return createHash("sha256").update(value).digest("base64url").slice(0, 16);
}

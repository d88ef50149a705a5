import { z } from "zod";
import { Ask } from "../../ask.ts";
import { Origin } from "../origin.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import type { Post } from "../../views/kit/post.ts";
import type { Logger } from "pino";

const changeId = z.string();
const whose = z.enum(["mine", "channel", "workspace"]);

/** JSON of the open form an Ask came from. Its values can be secrets, and are sealed with the rest. */
const SentForm = z.record(z.string(), z.unknown());
export type SentForm = z.infer<typeof SentForm>;

/** A person's action that must not be lost: stored and sealed before Slack's request is answered. */
export const Interaction = z.discriminatedUnion("kind", [
  /** A write, in words or from a form. */
  z.object({
    kind: z.literal("ask"),
    ask: Ask,
    origin: Origin,
    /** The form it was sent in, which shows its outcome. Only the Responder reads it. */
    form: SentForm.optional(),
  }),
  z.object({
    kind: z.literal("decide"),
    decision: z.enum(["approve", "reject", "cancel"]),
    changeId,
    reason: z.string().optional(),
    /** A button of a message or of Home, not typed words. */
    isClicked: z.boolean().optional(),
    /** The message whose button was clicked; none for typed words. */
    card: z.object({ channelId: z.string(), ts: z.string() }).optional(),
    origin: Origin,
  }),
  /** Undo, or request again: the Ask is taken from the Change itself. */
  z.object({
    kind: z.literal("redo"),
    how: z.enum(["undo", "again"]),
    changeId,
    /** See `Ask`. */
    confirmed: z.string().optional(),
    card: z.object({ channelId: z.string(), ts: z.string() }).optional(),
    origin: Origin,
  }),
  z.object({
    kind: z.literal("connect"),
    whose,
    username: z.string(),
    token: z.string(),
    viewId: z.string(),
    origin: Origin,
  }),
  z.object({ kind: z.literal("disconnect"), whose, origin: Origin }),
  /** Slack gave a channel another id; `origin` names the new one, and nobody is answered. */
  z.object({ kind: z.literal("move"), from: z.string(), origin: Origin }),
  /** A verb about what Gantry tells. */
  z.object({ kind: z.literal("watch"), ask: Ask, origin: Origin }),
  /** "I'm on it" on an alert. */
  z.object({ kind: z.literal("take"), alertId: z.string(), origin: Origin }),
  /** They are no longer on it: somebody else is, or nobody. */
  z.object({ kind: z.literal("leave"), alertId: z.string(), to: z.string().optional(), origin: Origin }),
  z.object({
    kind: z.literal("use"),
    /** The new binding; without it the binding is removed. */
    terms: z
      .object({
        region: z.string().optional(),
        account: z.string().optional(),
        names: z.string().optional(),
        isLocked: z.boolean(),
      })
      .optional(),
    origin: Origin,
  }),
]);
export type Interaction = z.infer<typeof Interaction>;

/** The stored rest of a delivery: the interaction, or messages that weren't delivered. */
export type Unfinished = {
  readonly interaction: Interaction;
  /** It was processed, and only these messages are missing. */
  readonly undelivered?: readonly Undelivered[] | undefined;
  /** Failed attempts to send them. */
  readonly sends?: number | undefined;
};

const UnfinishedJson = z.object({
  interaction: z.unknown(),
  undelivered: z.custom<readonly Undelivered[]>((value) => Array.isArray(value)).optional(),
  sends: z.number().optional(),
});

/** Parses what `JSON.stringify` wrote of it. Before, an interaction alone was stored. Throws when it is neither. */
export function unfinishedIn(payload: string): Unfinished {
  const stored: unknown = JSON.parse(payload);
  const { interaction = stored, ...rest } = UnfinishedJson.safeParse(stored).data ?? {};
  return { ...rest, interaction: Interaction.parse(currentNames(interaction)) };
}

const earlier = z.looseObject({ place: z.unknown() });

/** Version 0.1.0 said `place` for `origin` and `anew` for `redo`; its unfinished deliveries are still to be processed. */
function currentNames(stored: unknown): unknown {
  const found = earlier.safeParse(stored).data;
  if (found?.["place"] === undefined) return stored;
  const { place: origin, ...rest } = found;
  return { ...rest, kind: rest["kind"] === "anew" ? "redo" : rest["kind"], origin };
}

/** `done`: it is done, in progress, or there was nothing to do. `refused`: nothing was done, and the message says why. `question`: it waits for one of its buttons. */
export type ReplyKind = "done" | "refused" | "question";

export type Undelivered = { readonly post: Post; readonly how: ReplyKind };

/** Answers the person behind one delivery. */
export type Reply = Answering & {
  /** From now on, buttons in its messages act for this account, whoever uses them. */
  readonly actsFor: (username: string) => void;
};

export type Answering = {
  /** Sends it, and keeps it in `undelivered` if Slack took it by no route. Never rejects. */
  readonly send: (post: Post, how: ReplyKind) => Promise<void>;
  /** Their request is a Change now: its card is posted, or its Run begins. Called once. */
  readonly requested: (change: StoredChange) => Promise<void>;
  /** Messages that did not reach them, in order. */
  readonly undelivered: () => readonly Undelivered[];
};

/** A delivery that must not begin, with the token of its lease. */
export type Refused = { readonly id: string; readonly token: string };

/** Deliveries that must not begin: processed ones, and refused ones that the database may have stored anyway. */
export type Dropped = {
  readonly add: (delivery: Refused) => void;
  /** Deletes their rows. Keeps failures for the next call. Never rejects. */
  readonly flush: () => Promise<void>;
};

/** Limit for a long database outage, during which nothing new is stored either. Beyond it the oldest are discarded. */
const MOST = 20_000;

export function createDropped(store: { readonly drop: (delivery: Refused) => Promise<void> }, log: Logger): Dropped {
  const left = new Map<string, Refused>();
  return {
    add(delivery) {
      left.set(delivery.id, delivery);
      for (const oldest of left.keys()) {
        if (left.size <= MOST) break;
        left.delete(oldest);
      }
    },
    async flush() {
      for (const [id, delivery] of left) {
        try {
          await store.drop(delivery);
          left.delete(id);
        } catch (err) {
          log.warn({ err, left: left.size }, "couldn't delete refused deliveries yet");
          return;
        }
      }
    },
  };
}

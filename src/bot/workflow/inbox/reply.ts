import type { StoredChange } from "../../changes/stored-change.ts";
import type { Post } from "../../views/kit/message.ts";
import type { Origin } from "../origin.ts";
import type { Responder } from "../ports.ts";

/** `done`: it is done, in progress, or there was nothing to do. `refused`: nothing was done, and the message says why. */
export type ReplyKind = "done" | "refused";

export type Undelivered = { readonly post: Post; readonly how: ReplyKind };

/** Answers the person behind one delivery. */
export type Reply = {
  /** Shows it to them, and remembers it when Slack took it by no route. Never rejects. */
  readonly send: (post: Post, how: ReplyKind) => Promise<void>;
  /** Their request is a Change now: its card is posted, or its Run begins. Called once. */
  readonly requested: (change: StoredChange) => Promise<void>;
  /** Messages that did not reach them, in order. */
  readonly undelivered: () => readonly Undelivered[];
};

export function createReply({ tell }: Pick<Responder, "tell">, origin: Origin): Reply {
  const undelivered: Undelivered[] = [];
  return {
    async send(post, how) {
      if (!(await tell(post, origin))) undelivered.push({ post, how });
    },
    // The card shows it.
    requested: () => Promise.resolve(),
    undelivered: () => undelivered,
  };
}

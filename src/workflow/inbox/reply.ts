import type { StoredChange } from "../../changes/stored-change.ts";
import type { Post } from "../../views/kit/message.ts";
import type { Origin } from "../origin.ts";
import type { Responder } from "../ports.ts";

/** `told`: it is done, under way, or was so already. `refused`: nothing was done, and the words say why. */
export type ReplyKind = "done" | "refused";

export type Undelivered = { readonly post: Post; readonly how: ReplyKind };

/** How the work on one delivery speaks to whoever it came from. */
export type Reply = {
  /** Says it for their eyes, and remembers it when Slack took it by no way. Never rejects. */
  readonly send: (post: Post, how: ReplyKind) => Promise<void>;
  /** It is a Change now: its card stands, or its run begins. Said once. */
  readonly placed: (change: StoredChange) => Promise<void>;
  /** What did not reach them, in its order. */
  readonly undelivered: () => readonly Undelivered[];
};

export function createReply(responder: Pick<Responder, "tell">, origin: Origin): Reply {
  const undelivered: Undelivered[] = [];
  return {
    async send(post, how) {
      if (!(await responder.tell(post, origin))) undelivered.push({ post, how });
    },
    // Its card says it.
    placed: () => Promise.resolve(),
    undelivered: () => undelivered,
  };
}

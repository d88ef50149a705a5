import type { StoredChange } from "../../changes/stored-change.ts";
import type { Post } from "../../views/kit/message.ts";
import type { Place } from "../origin.ts";
import type { Poster } from "../../slack/send/post.ts";

/** `told`: it is done, under way, or was so already. `refused`: nothing was done, and the words say why. */
export type How = "told" | "refused";

export type Said = { readonly post: Post; readonly how: How };

/** How the work on one delivery speaks to whoever it came from. */
export type Telling = {
  /** Says it for their eyes, and remembers it when Slack took it by no way. Never rejects. */
  readonly say: (post: Post, how: How) => Promise<void>;
  /** It is a Change now: its card stands, or its run begins. Said once. */
  readonly placed: (change: StoredChange) => Promise<void>;
  /** What did not reach them, in its order. */
  readonly unsaid: () => readonly Said[];
};

export function createTelling(poster: Pick<Poster, "reaches">, place: Place): Telling {
  const unsaid: Said[] = [];
  return {
    async say(post, how) {
      if (!(await poster.reaches(post, place))) unsaid.push({ post, how });
    },
    // Its card says it.
    placed: () => Promise.resolve(),
    unsaid: () => unsaid,
  };
}

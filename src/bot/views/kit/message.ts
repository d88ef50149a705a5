import type { KnownBlock } from "@slack/types";

export type Block = KnownBlock;

/** Uploaded into the thread. */
export type TextFile = { readonly name: string; readonly title: string; readonly content: string };

/** One message in Slack. Notifications and screen readers use `text`. */
export type Post = { readonly text: string; readonly blocks: readonly Block[] };

/**
 * A complete answer as plain data. With `thread`, the post starts a thread in the channel or, if it is private, in the
 * direct message with the bot. Where the bot can't post, the requester gets `alone` as an ephemeral message instead.
 */
export type Message = Post & {
  /** Only for the person who asked, even if they asked in a thread. */
  readonly isPrivate?: true;
  readonly thread?: {
    readonly replies: readonly Post[];
    readonly files: readonly TextFile[];
    readonly alone: Post;
    /** Posts the thread in the requester's direct message with the bot. */
    readonly isPrivate?: true;
  };
};

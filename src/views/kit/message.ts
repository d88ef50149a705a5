import type { KnownBlock } from "@slack/types";

/** A block of Block Kit that Gantry draws with. */
export type Block = KnownBlock;

/** A text file that is uploaded into the thread. */
export type TextFile = { readonly name: string; readonly title: string; readonly content: string };

/** What one post in a conversation is made of; `text` is what notifications and screen readers get. */
export type Post = { readonly text: string; readonly blocks: readonly Block[] };

/**
 * Everything an answer consists of, as pure data. With `thread`, the post is the head of a thread in the channel, or, when
 * it is private, in the conversation with the bot; where the bot may not post there, `alone` is what the asker gets
 * instead, for their eyes only.
 */
export type Message = Post & {
  readonly thread?: {
    readonly replies: readonly Post[];
    readonly files: readonly TextFile[];
    readonly alone: Post;
    /** For the asker alone, as a thread in their conversation with the bot. */
    readonly isPrivate?: true;
  };
};

/** Where an interaction came from, and so where its answer goes. */
export type Place = {
  readonly userId: string;
  readonly channelId: string;
  /** The address of this very interaction: 5 uses, 30 minutes, member of the channel or not. */
  readonly responseUrl: string | undefined;
  /** The message under the clicked button, which the answer takes the place of; nothing after a typed command. */
  readonly replaces?: "ephemeral" | "in_channel";
};

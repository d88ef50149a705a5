/**
 * - `unknown-key`: the key that sealed it is not among those that are configured
 * - `wrong-key`: a key of that name is, but it is another one
 * - `damaged`: changed, cut off, or moved here from another row
 */
export type SealReason = "wrong-key" | "unknown-key" | "damaged";

/** A sealed text does not open. The sentence is for whoever runs the bot; it never holds the text or a key. */
export class SealError extends Error {
  override readonly name = "SealError";
  readonly reason: SealReason;

  constructor(reason: SealReason, keyId: string | undefined) {
    super(sentences[reason](keyId ?? ""));
    this.reason = reason;
  }
}

const sentences: Readonly<Record<SealReason, (keyId: string) => string>> = {
  "unknown-key": (keyId) =>
    `It was sealed with the key “${keyId}”, which is not configured any more. Put that key back behind the first one, or store anew what was sealed.`,
  "wrong-key": (keyId) =>
    `It was sealed with another key than the one that is configured as “${keyId}”. Put the right key under that id, and give the other one an id of its own.`,
  damaged: () =>
    "It was changed or cut off after it was sealed, or it was sealed for another row. Restore the row from a backup, or store anew what was sealed.",
};

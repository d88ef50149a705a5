import { z } from "zod";
import type { Sealer } from "../accounts/seal.ts";
import { Change } from "../changes/change.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import { Ask } from "../commands/ask.ts";

/** What of a Change may be read by nobody else: the Call with its body, the words it came from, and where to answer. */
const SealedChange = z.object({
  change: Change,
  ask: Ask,
  /** Lives for half an hour; where the bot cannot post, the answer goes there. */
  responseUrl: z.string().optional(),
  /** The thread in which it was asked for: its card and its story stand there. */
  threadTs: z.string().optional(),
});
export type SealedChange = z.infer<typeof SealedChange>;

export function sealChange(sealer: Sealer, id: string, content: SealedChange): string {
  return sealer.seal(JSON.stringify(content), ["change", id]);
}

/** What was approved is what is sent. Throws a `SealError` for a key that is not there or a row that was swapped. */
export function openChange(sealer: Sealer, { id, sealed }: Pick<StoredChange, "id" | "sealed">): SealedChange {
  return SealedChange.parse(JSON.parse(sealer.open(sealed, ["change", id])));
}

/** The same for what can do without: undefined when it does not open, or is of another version of Gantry. */
export function contentOf(sealer: Sealer, change: Pick<StoredChange, "id" | "sealed">): SealedChange | undefined {
  try {
    return openChange(sealer, change);
  } catch {
    return undefined;
  }
}

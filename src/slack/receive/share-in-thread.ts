import type { Ask } from "../../commands/ask.ts";
import type { Origin } from "../../workflow/origin.ts";

/** What is asked in a thread is answered to all who read it, and who may click in the answer, too. */
export function shareInThread(ask: Ask, { threadTs }: Origin): Ask {
  return { ...ask, share: ask.share || threadTs !== undefined };
}

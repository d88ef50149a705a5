import { UserError } from "../../errors.ts";

/** Long enough for a ticket and a sentence, short enough for a card: in UTF-16 units. */
export const LONGEST_REASON = 500;

/** Breaking the glass without saying why would leave the channel and history without the one thing they need. */
export const glassNeedsReason = "--break-glass needs a reason: the channel and history are told why.";

/** Why somebody wants or rejects a change, on one line. Pure. Throws a `UserError` for nothing and for too much. */
export function readReason(typed: string): string {
  const reason = typed.replaceAll(/\s+/gu, " ").trim();
  if (reason === "") throw new UserError("The reason is empty.", { next: "Say why in quotes: --reason 'too slow'." });
  if (reason.length <= LONGEST_REASON) return reason;
  throw new UserError(`The reason has ${reason.length} characters, and ${LONGEST_REASON} are taken at most.`, {
    next: "Say it shorter, or link to where it stands.",
  });
}

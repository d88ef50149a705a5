import { Problem } from "../api/problem.ts";
import { StoreError, UserError } from "../errors.ts";
import { bugMessage, problemMessage, userErrorMessage } from "../views/messages/error-messages.ts";
import type { Message } from "../views/kit/message.ts";
import { sentences } from "../views/messages/sentences.ts";
import type { Shell } from "./shell.ts";

type FailureParts = Pick<Shell, "settings" | "log" | "newReference">;

/** What went wrong, for the log: only the verb and the kind, never the words. */
type Where = {
  readonly verb: string;
  readonly effect: "read" | "write";
  /** Where it has one already. */
  readonly reference?: string;
};

/** Whether nobody but us can mend it. */
export function isBug(error: unknown): boolean {
  return !(error instanceof UserError) && !(error instanceof StoreError) && !(error instanceof Problem);
}

/**
 * The one catch of the bot: a `UserError` is said as it stands, a `Problem` with its next step, and anything else is a
 * bug, whose reference stands in the log with the stack.
 */
export function failureMessage({ settings, log, newReference }: FailureParts, error: unknown, where: Where): Message {
  if (error instanceof UserError) {
    log.info({ verb: where.verb }, "a command could not be done as asked");
    return userErrorMessage(error, settings.command);
  }
  const reference = where.reference ?? newReference();
  if (error instanceof StoreError) {
    log.error({ err: error, ...where, reference }, "the database did not answer");
    return sentences.storeAway(reference);
  }
  if (!(error instanceof Problem)) {
    log.error({ err: error, ...where, reference }, "something broke in Gantry");
    return bugMessage(reference);
  }
  const { op, kind, status } = error;
  log.warn({ op, kind, status, ...where, reference }, "the service did not do what was asked");
  if (kind === "aborted") return where.effect === "read" ? sentences.readStopped() : sentences.writeStopped();
  return problemMessage(error, { reference });
}

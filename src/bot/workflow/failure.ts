import { newReference } from "../../platform/log.ts";
import { Problem } from "../../api/problem.ts";
import { annotate, type Outcome } from "../../platform/trail.ts";
import { StoreError, UserError } from "../errors.ts";
import type { Message } from "../views/kit/post.ts";
import { sentences } from "../views/messages/sentences.ts";
import { bugMessage, problemMessage, userErrorMessage } from "../views/messages/error-messages.ts";
import type { WorkflowParts } from "./ports.ts";

/** For the log: only the verb and the kind, never what was typed. */
type Where = {
  readonly verb: string;
  readonly effect: "read" | "write";
  /** If it has one already. */
  readonly reference?: string;
};

/** Only we can fix it. */
export function isBug(error: unknown): boolean {
  return !(error instanceof UserError) && !(error instanceof StoreError) && !(error instanceof Problem);
}

/** A request that the workload API refuses, such as an unknown name, is the person's mistake. */
function outcomeOf(error: unknown): Outcome {
  if (error instanceof UserError) return error.cause === undefined ? "refused" : "failed";
  if (isBug(error)) return "error";
  if (!(error instanceof Problem)) return "failed";
  const { kind, status = 500 } = error;
  return kind === "refused" && status < 500 && status !== 401 && status !== 429 ? "refused" : "failed";
}

function reasonOf(cause: unknown): string {
  if (cause instanceof StoreError) return `the database: ${cause.why ?? cause.message}`;
  return cause instanceof Error ? cause.message : String(cause);
}

/**
 * The only place where the bot turns an error into a message: a `UserError` is shown as it is, a `Problem` with its next
 * step, and anything else is a bug, with a reference that is in the log beside the stack.
 */
export function failureMessage(
  { settings, log }: Pick<WorkflowParts, "settings" | "log">,
  error: unknown,
  where: Where,
): Message {
  annotate({ outcome: outcomeOf(error) });
  if (error instanceof UserError) {
    if (error.cause === undefined) log.info({ verb: where.verb }, "a command had a mistake");
    else log.warn({ verb: where.verb, reason: reasonOf(error.cause) }, "a command couldn't be answered");
    return userErrorMessage(error, settings.command);
  }
  const reference = where.reference ?? newReference();
  annotate({ reference });
  if (error instanceof StoreError) {
    log.error({ err: error, ...where, reference }, "the database didn't answer");
    return sentences.storeAway(reference, where.effect);
  }
  if (!(error instanceof Problem)) {
    log.error({ err: error, ...where, reference }, "internal error");
    return bugMessage(reference);
  }
  const { op, kind, status } = error;
  log.warn({ op, kind, status, ...where, reference }, "the workload API failed or refused");
  if (kind === "aborted") return where.effect === "read" ? sentences.readStopped() : sentences.writeStopped();
  return problemMessage(error, { reference, effect: where.effect });
}

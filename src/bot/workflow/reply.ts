import type { Origin } from "./origin.ts";
import type { Responder, WorkflowClock, WorkflowParts } from "./ports.ts";
import { type Message, messageFor, sentAgain } from "../views/kit/post.ts";
import type { Answering, Reply, Undelivered } from "./inbox/interaction.ts";
import { newReference } from "../../platform/log.ts";
import { Problem } from "../../api/problem.ts";
import { annotate, type Outcome } from "../../platform/trail.ts";
import { StoreError, UserError } from "../errors.ts";
import { sentences } from "../views/messages/sentences.ts";
import { bugMessage, problemMessage, userErrorMessage } from "../views/messages/error-messages.ts";

/** See `Reply.actsFor`. */
export function withAccount(answering: Answering): Reply {
  let account: string | undefined;
  return {
    ...answering,
    actsFor(username) {
      account = username;
    },
    send: (post, how) => answering.send(account === undefined ? post : messageFor(account, post), how),
  };
}

/** Its first message replaces “Working…”. */
export function createReply({ tell }: Pick<Responder, "tell">, origin: Origin, working?: WorkingMessage): Answering {
  const undelivered: Undelivered[] = [];
  return {
    async send(post, how) {
      const send = () => tell(post, origin);
      const sent = await (working === undefined ? send() : working.replacedBy(send));
      if (sent !== true) undelivered.push({ post: sent === "maybe" ? sentAgain(post) : post, how });
    },
    // The card shows it.
    requested: () => Promise.resolve(),
    undelivered: () => undelivered,
  };
}

/** People wonder after a second. Slack shows it a moment after it was sent. */
export const WORKING_AFTER_MS = 800;

export type WorkingMessage = {
  /** Sends an answer in place of “Working…”: sent at the same time, they could arrive the other way round. */
  readonly replacedBy: <Result>(send: () => Promise<Result>) => Promise<Result>;
  /** Removes “Working…” if it is still there. Never rejects. */
  readonly end: () => Promise<void>;
};

/** If nothing answers a person for a moment, shows them “Working…”. Costs nothing before. */
export function workingWhenSlow({ clock, responder }: Waiting, origin: Origin): WorkingMessage {
  let shown: Promise<() => Promise<void>> | undefined;
  const timer = clock.patience(WORKING_AFTER_MS, () => {
    shown = responder.working(origin);
  });
  const end = async (): Promise<void> => {
    timer.cancel();
    const remove = await shown;
    shown = undefined;
    await remove?.();
  };
  return {
    async replacedBy(send) {
      timer.cancel();
      await shown;
      const sent = await send();
      await end();
      return sent;
    },
    end,
  };
}

type Waiting = {
  readonly clock: Pick<WorkflowClock, "patience">;
  readonly responder: Pick<Responder, "working">;
};

/** What a read says. `beside`: to whoever asked alone, beside the message that was clicked, which stays. */
export type ReadAnswer =
  | {
      readonly kind: "answer";
      readonly message: Message;
      readonly isShared: boolean;
      /** As policy allows it in a direct message; undefined where that is the place. Never rejects. */
      readonly inDirect?: (() => Promise<Message>) | undefined;
    }
  | { readonly kind: "beside"; readonly message: Message };

/** Reads, and answers a person who waits. */
export async function answerWaiting(
  deps: WorkflowParts,
  origin: Origin,
  read: () => Promise<ReadAnswer | undefined>,
): Promise<void> {
  const working = workingWhenSlow(deps, origin);
  try {
    const answer = await read();
    if (answer !== undefined) await working.replacedBy(() => sendAnswer(deps, answer, origin));
  } finally {
    await working.end();
  }
}

export function sendAnswer({ responder }: WorkflowParts, answer: ReadAnswer, origin: Origin): Promise<void> {
  if (answer.kind === "beside") return responder.tellPatiently(answer.message, origin);
  const { message, isShared, inDirect } = answer;
  return responder.answer(message, origin, { isShared, inDirect });
}

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

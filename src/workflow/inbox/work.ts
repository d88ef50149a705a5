import { StoreError } from "../../errors.ts";
import type { Message } from "../../views/kit/message.ts";
import { anew } from "../redo.ts";
import { noteBug } from "./bug-event.ts";
import { decide } from "../decide.ts";
import type { Deed } from "./interaction.ts";
import { failureMessage, isBug } from "../failure.ts";
import { createFormTelling } from "../../slack/modals/form-reply.ts";
import { homeLater } from "../../slack/home/draw.ts";
import { connect, disconnect } from "../link.ts";
import { propose } from "../propose.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Shell } from "../shell.ts";
import { createTelling, type Telling } from "./reply.ts";
import type { Interrupted } from "./retry.ts";
import { bindChannel } from "../bind.ts";

/** Pauses after which words that reached nobody are said again: Slack may be away for minutes. */
const AGAIN_AFTER_MS = [5_000, 20_000, 45_000, 90_000];

/** Works on a delivery of ours until its deed is done and everything about it was said. Never rejects because of Slack. */
export async function work(shell: Shell, given: Interrupted, signal: AbortSignal): Promise<void> {
  const { id, deed, unsaid } = given;
  await shell.underWay.once(`delivery ${id}`, async () => {
    const telling = tellingOf(shell, deed);
    try {
      if (unsaid === undefined) await perform(shell, { given, telling }, signal);
      else for (const { post, how } of unsaid) await telling.say(post, how);
    } catch (error) {
      const isAgain = error instanceof StoreError;
      // Of a database that is away they are told once; whatever was not said is said by the work that is begun again.
      if (!isAgain || given.tries === 0) await telling.say(await failure(shell, deed, error), "refused");
      if (isAgain) return shell.unfinished.keep({ ...given, tries: given.tries + 1 }, 0);
    }
    return end(shell, { given, telling }, signal);
  });
}

function tellingOf(shell: Shell, deed: Deed): Telling {
  if (deed.kind !== "ask" || deed.form === undefined) return createTelling(shell.poster, deed.place);
  return createFormTelling(shell, { form: deed.form, place: deed.place });
}

type Working = { readonly given: Interrupted; readonly telling: Telling };

/** It is over when everything was said; what was not is silence to who waits, and is said again, alone. */
async function end(shell: Shell, { given, telling }: Working, signal: AbortSignal): Promise<void> {
  const { id, deed } = given;
  const unsaid = telling.unsaid();
  if (deed.place.isHome === true) homeLater(shell, deed.place);
  if (unsaid.length === 0) return finish(shell, id);
  // The next process, or another one, begins it again: everything behind it happens once.
  if (signal.aborted) return undefined;
  const tries = given.unsaid === undefined ? 0 : given.tries;
  const afterMs = AGAIN_AFTER_MS[tries];
  if (afterMs === undefined) return finish(shell, id);
  return shell.unfinished.keep({ id, deed, tries: tries + 1, unsaid }, afterMs);
}

async function perform(shell: Shell, { given, telling }: Working, signal: AbortSignal): Promise<void> {
  const { id, deed, isLate = false } = given;
  switch (deed.kind) {
    case "ask":
      if (isLate && (await shell.store.changeOfDelivery(id)) === undefined) {
        return telling.say(sentences.neverBegan(deed.ask.verb), "refused");
      }
      return propose(shell, { ...deed, deliveryId: id, telling }, signal);
    case "decide":
      return decide(shell, { ...deed, telling }, signal);
    case "anew":
      return anew(shell, { ...deed, deliveryId: id, telling }, signal);
    case "connect":
      return connect(shell, { ...deed, telling }, signal);
    case "disconnect":
      return disconnect(shell, { ...deed, telling });
    case "use":
      // The channel may have been bound to something else since.
      if (isLate) return telling.say(sentences.neverBegan("use"), "refused");
      return bindChannel(shell, { ...deed, telling });
  }
}

async function failure(shell: Shell, deed: Deed, error: unknown): Promise<Message> {
  const verb = verbOf(deed);
  const reference = shell.newReference();
  if (isBug(error)) await noteBug(shell, { deed, verb, reference });
  return failureMessage(shell, error, { verb, effect: "write", reference });
}

function verbOf(deed: Deed): string {
  if (deed.kind === "ask") return deed.ask.verb;
  return deed.kind === "decide" ? deed.decision : deed.kind;
}

/** Its deed is forgotten. Never rejects. */
export async function finish({ store, log }: Shell, id: string): Promise<void> {
  try {
    await store.finish(id);
  } catch (err) {
    // Done again later it finds what it did: everything behind it happens once.
    log.warn({ err }, "a delivery could not be marked as finished");
  }
}

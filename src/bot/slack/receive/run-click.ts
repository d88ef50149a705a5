import { Ask } from "../../ask.ts";
import { type Command, onlyLooks } from "../../commands/command.ts";
import { commandOf } from "../../commands/grammar/parse.ts";
import type { Settings } from "../../commands/command.ts";
import { UserError } from "../../errors.ts";
import type { Post } from "../../views/kit/message.ts";
import { confirmed } from "../../views/messages/confirm-message.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { dispatch } from "../../workflow/dispatch.ts";
import type { Lanes } from "../../workflow/inbox/lanes.ts";
import { isDirect, type Origin } from "../../workflow/origin.ts";
import type { Clock, Inbox, Responder } from "../../workflow/ports.ts";
import type { DepsOf } from "../deps-of.ts";
import { openForm } from "../modals/update-view.ts";
import type { Ack } from "./ack.ts";
import { messageKey } from "./message-key.ts";
import { jsonIn } from "./view-payload.ts";
import type { Logger } from "pino";

export type RunClickDeps = DepsOf<typeof dispatch | typeof openForm> & {
  readonly lanes: Pick<Lanes, "track">;
  readonly responder: Pick<Responder, "tellPatiently" | "answer">;
  readonly store: Pick<Inbox, "isKnown">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  readonly settings: Settings;
};

type Running = {
  readonly actionId: string;
  readonly value: string;
  readonly triggerId: string;
  /** The message with the button; undefined in a form. */
  readonly messageTs: string | undefined;
  /** Where the button is, and where its answer goes. */
  readonly origin: Origin;
};

/** A question is about the moment in which it was asked. */
const EXPIRES_MS = 60 * 60_000;

/** Whether this button runs an Ask of any verb: a suggestion, or the answer to "Restart web?". */
export function isRunButton(actionId: string): boolean {
  return actionId.startsWith("run:");
}

/**
 * Runs the Ask as if its words had been typed: policy, approval and history are the same. A message's buttons run one
 * write at most, so a second click, also a concurrent one, can't request it twice.
 */
export async function onRunClick(deps: RunClickDeps, running: Running, ack: Ack): Promise<void> {
  const { origin, triggerId, actionId, messageTs } = running;
  const { replaces: _replaces, ...beside } = origin;
  const tell = (message: Post): Promise<void> => deps.lanes.track(deps.responder.tellPatiently(message, beside));
  const replace = (message: Post): Promise<void> =>
    deps.lanes.track(deps.responder.answer(message, origin, { isShared: false }));
  const said = async (message: Post): Promise<void> => {
    await ack();
    return tell(message);
  };
  if (actionId === "run:cancel") {
    await ack();
    return replace(confirmed.cancelled());
  }
  const asked = askIn(running.value);
  if (asked === undefined) return said(sentences.staleButton(deps.settings.command));
  const isRead = onlyLooks(asked.command);
  const id = isRead || messageTs === undefined ? triggerId : `run:${messageKey({ ...origin, ts: messageTs })}`;
  if (!isRead && isExpired(deps, messageTs)) return said(confirmed.expired());
  if (!isRead && (await wasUsed(deps, id))) return said(confirmed.used());
  const opens = async (view: object): Promise<void> => {
    await ack();
    await openForm(deps, { triggerId, view, origin: beside });
  };
  await dispatch(deps, { ...asked, origin: beside, id, opens }, async (refusal) => {
    await ack();
    if (refusal !== undefined) return tell(refusal);
    // Nobody else sees these buttons.
    const isOurs = origin.replaces === "ephemeral" || isDirect(origin.channelId);
    if (!isRead && isOurs) return replace(confirmed.requested(asked.ask));
  });
}

function isExpired({ clock }: RunClickDeps, messageTs: string | undefined): boolean {
  return messageTs !== undefined && clock.now().getTime() - Number(messageTs) * 1_000 > EXPIRES_MS;
}

async function wasUsed({ store, log }: RunClickDeps, id: string): Promise<boolean> {
  try {
    return await store.isKnown(id);
  } catch (err) {
    // Storing the write fails on the database anyway, and says so.
    log.warn({ err }, "couldn't check whether a button was used already");
    return false;
  }
}

function askIn(value: string): { readonly ask: Ask; readonly command: Command } | undefined {
  const ask = Ask.safeParse(jsonIn(value)).data;
  try {
    return ask && { ask, command: commandOf(ask) };
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { ReadCommand, WriteCommand } from "../commands/command.ts";
import { parseText, type Parsed } from "../commands/parse.ts";
import type { Message } from "../views/message.ts";
import { ackBody, type Ack } from "./ack.ts";
import { failureMessage } from "./failure.ts";
import type { Place } from "./place.ts";
import { answerRead } from "./read.ts";
import { sentences } from "./sentence.ts";
import { contextFor, type Asked, type Shell } from "./shell.ts";
import { doWrite } from "./write.ts";

/** https://docs.slack.dev/interactivity/implementing-slash-commands#app_command_handling */
const SlashCommand = z.object({
  command: z.string(),
  text: z.string().default(""),
  user_id: z.string(),
  channel_id: z.string(),
  response_url: z.string(),
  trigger_id: z.string(),
});
type SlashCommand = z.infer<typeof SlashCommand>;

/** A write waits for this before its ack: https://docs.slack.dev/interactivity/slash-commands gives 3 s. */
const STORE_WITHIN_MS = 1_000;

/** A typed command. Nothing that waits stands before the ack, except that a write is stored first. */
export async function onSlash(shell: Shell, body: unknown, ack: Ack): Promise<void> {
  const typed = SlashCommand.parse(body);
  if (shell.inflight.isStopping()) return ack(ackBody(sentences.restarting()));
  if (shell.seen.isRepeat(typed.trigger_id)) return ack();
  if (typed.command !== shell.settings.command) {
    return ack(ackBody(sentences.otherCommand(shell.settings.command)));
  }
  let parsed: Parsed;
  try {
    parsed = parseText(typed.text);
  } catch (error) {
    return ack(ackBody(failureMessage(shell, error, { verb: "?", effect: "read" })));
  }
  const { command, ask } = parsed;
  const asked: Asked = { ask, place: placeOf(typed) };
  if (command.effect === "write") return acceptWrite(shell, { ...asked, command, typed }, ack);
  if (command.name === "help") return ack(ackBody(await helpMessage(shell, { ...asked, command }), ask.share));
  const isTaken = shell.inflight.start((signal) => answerRead(shell, { ...asked, command }, signal));
  return ack(isTaken ? undefined : ackBody(sentences.busy()));
}

function placeOf({ user_id, channel_id, response_url }: SlashCommand): Place {
  return { userId: user_id, channelId: channel_id, responseUrl: response_url };
}

/** Help is drawn from the verbs and asks nobody, so it is the ack. */
async function helpMessage(shell: Shell, { command, ask, place }: Asked & { command: ReadCommand }): Promise<Message> {
  try {
    return await command.answer(ask, contextFor(shell, { place }, AbortSignal.abort()));
  } catch (error) {
    return failureMessage(shell, error, { verb: command.name, effect: "read" });
  }
}

type AcceptedWrite = Asked & { readonly command: WriteCommand; readonly typed: SlashCommand };

/** Slack does not send a lost command again: what was acked must be on disk. */
async function acceptWrite(shell: Shell, { typed, command, ...asked }: AcceptedWrite, ack: Ack): Promise<void> {
  const runId = randomUUID();
  const { store, inflight, log } = shell;
  let isNew: boolean;
  try {
    isNew = await within(
      STORE_WITHIN_MS,
      store.acceptWrite({
        id: runId,
        deliveryId: typed.trigger_id,
        verb: command.name,
        userId: typed.user_id,
        channelId: typed.channel_id,
        responseUrl: typed.response_url,
        at: shell.now(),
      }),
    );
  } catch (err) {
    const reference = shell.newReference();
    log.error({ err, reference, verb: command.name }, "a write could not be stored, and was not done");
    return ack(ackBody(sentences.notStored(reference)));
  }
  // Delivered before, maybe to the process before this one: that one has it.
  if (!isNew) return ack();
  if (inflight.start((signal) => doWrite(shell, { ...asked, command, runId }, signal))) return ack();
  await store.settleRun(runId, { state: "refused", at: shell.now() });
  return ack(ackBody(sentences.busy()));
}

async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const late = sleep(ms, undefined, { signal: controller.signal, ref: false }).then(() => {
    throw new Error(`not stored within ${ms} ms`);
  });
  // Aborted on purpose once the work has won.
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    controller.abort();
  }
}

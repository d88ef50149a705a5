import type { Ask } from "../../ask.ts";
import type { Context, ReadCommand } from "../../commands/command.ts";
import { ReadRefused } from "../../commands/lookup/may-see.ts";
import type { Message } from "../../views/kit/message.ts";
import { refusalMessage } from "../../views/messages/refusal-message.ts";
import { contextLine } from "../context-line.ts";
import { contextFor } from "../access/context.ts";
import { failureMessage } from "../failure.ts";
import { noteRefusal } from "../history.ts";
import type { Origin } from "../origin.ts";
import type { WorkflowParts } from "../ports.ts";
import { type Refused, refusedRead } from "../../commands/lookup/authorize.ts";
import { numbered, withContextLine } from "../../views/kit/post.ts";

type Read = { readonly command: ReadCommand; readonly ask: Ask; readonly origin: Origin };

/** Answers a read, after its ack. A failure is shown beside the message that was clicked, which stays. */
export async function answerRead(
  deps: WorkflowParts,
  { command, ask, origin }: Read,
  signal: AbortSignal,
): Promise<void> {
  try {
    const context = await contextFor(deps, { origin, effect: "read" }, signal);
    const refused = await refusedRead(command, ask, context);
    if (refused !== undefined) return await refuse(deps, { command, ask, origin }, { context, refused });
    const answer = await answerHere(command, ask, context).catch((error: unknown) => refusedIn(error));
    if ("refusal" in answer) return await refuse(deps, { command, ask, origin }, { context, refused: answer });
    return await deps.responder.answer(answer, origin, { isShared: ask.share });
  } catch (error) {
    const where = { verb: command.name, effect: command.effect };
    const { text, blocks } = failureMessage(deps, error, where);
    const buttons = numbered(command.onFailure?.(ask, error) ?? []);
    await deps.responder.tellPatiently({ text, blocks: [...blocks, ...buttons] }, origin);
  }
}

/** Buttons of the answer keep its region, even if another person clicks them or the default changes. */
async function answerHere(command: ReadCommand, ask: Read["ask"], context: Context): Promise<Message> {
  const isAboutWorkloads = command.actions.length > 0;
  const askHere = isAboutWorkloads ? { ...ask, region: ask.region ?? context.settings.region } : ask;
  const answer = await command.answer(askHere, context);
  const line = contextLine(command, ask, context);
  return line === undefined ? answer : withContextLine(answer, line);
}

/** Handles a result that the person may not see; rethrows any other error. */
function refusedIn(error: unknown): Refused {
  if (!(error instanceof ReadRefused)) throw error;
  const { kind, region, name } = error.about.workload;
  return { refusal: error.refusal, workload: name === undefined ? undefined : { kind, region, name } };
}

type Refusing = { readonly context: Context; readonly refused: Refused };

async function refuse(deps: WorkflowParts, { command, origin }: Read, { context, refused }: Refusing): Promise<void> {
  const { asker, account } = context;
  await noteRefusal(deps, { ...refused, verb: command.name, origin, who: asker, account: account.username });
  const { command: typed } = context.settings;
  await deps.responder.tellPatiently(
    refusalMessage({ kind: "policy", verdict: refused.refusal, command: typed }),
    origin,
  );
}

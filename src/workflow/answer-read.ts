import type { Context, ReadCommand } from "../commands/command.ts";
import { type Refused, refusedRead } from "../commands/lookup/authorize.ts";
import { ReadRefused } from "../commands/lookup/may-see.ts";
import type { Message } from "../views/kit/message.ts";
import { refusalMessage } from "../views/messages/refusal-message.ts";
import { withContextLine } from "../views/kit/post.ts";
import { contextLine } from "./context-line.ts";
import { contextFor } from "./access/context.ts";
import { failureMessage } from "./failure.ts";
import { recordRefusal } from "./record-refusal.ts";
import type { Asked, Shell } from "./shell.ts";

type Read = Asked & { readonly command: ReadCommand };

/** Answers a read, after its ack. A failure takes nothing away: it is said beside a list that was clicked in. */
export async function answerRead(shell: Shell, { command, ask, origin }: Read, signal: AbortSignal): Promise<void> {
  try {
    const context = await contextFor(shell, { origin, effect: "read" }, signal);
    const refused = await refusedRead(command, ask, context);
    if (refused !== undefined) return await refuse(shell, { command, ask, origin }, { context, refused });
    const answer = await answerHere(command, ask, context).catch((error: unknown) => refusedIn(error));
    if ("refusal" in answer) return await refuse(shell, { command, ask, origin }, { context, refused: answer });
    return await shell.poster.post(answer, origin, { isShared: ask.share });
  } catch (error) {
    const where = { verb: command.name, effect: command.effect };
    return shell.poster.tell(failureMessage(shell, error, where), origin);
  }
}

/** The buttons of the answer go on in the region that was meant, whoever clicks them, and whatever is meant by then. */
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

async function refuse(shell: Shell, { command, origin }: Read, { context, refused }: Refusing): Promise<void> {
  const { asker, account } = context;
  await recordRefusal(shell, { ...refused, verb: command.name, origin, who: asker, account: account.username });
  const { command: typed } = context.settings;
  return shell.poster.tell(refusalMessage({ kind: "policy", verdict: refused.refusal, command: typed }), origin);
}

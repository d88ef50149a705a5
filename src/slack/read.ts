import type { ReadCommand } from "../commands/command.ts";
import { failureMessage } from "./failure.ts";
import { contextFor, type Asked, type Shell } from "./shell.ts";

/** Answers a read, after its ack. A failure takes nothing away: it is said beside a list that was clicked in. */
export async function answerRead(
  shell: Shell,
  { command, ask, place }: Asked & { readonly command: ReadCommand },
  signal: AbortSignal,
): Promise<void> {
  const answer = await settled(() => command.answer(ask, contextFor(shell, { place }, signal)));
  if ("error" in answer) {
    const where = { verb: command.name, effect: command.effect };
    return shell.poster.tell(failureMessage(shell, answer.error, where), place);
  }
  return shell.poster.post(answer.value, place, { isShared: ask.share });
}

type Settled<Value> = { readonly value: Value } | { readonly error: unknown };

async function settled<Value>(work: () => Promise<Value>): Promise<Settled<Value>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}

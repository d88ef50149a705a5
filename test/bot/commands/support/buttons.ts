import { Ask } from "../../../../src/bot/ask.ts";
import { commandOf } from "../../../../src/bot/commands/grammar/parse.ts";
import type { Message } from "../../../../src/bot/views/kit/post.ts";
import { clickablesIn } from "../../../support/clickables.ts";
import type { Scripted } from "./script.ts";

/** What the button of that name carries, on a message or in its thread; undefined without one. */
export function carried({ blocks, thread }: Message, label: string): unknown {
  const all = [...blocks, ...(thread?.replies ?? []).flatMap((reply) => reply.blocks)];
  const found = clickablesIn(all).find((each) => each.label === label);
  return found && JSON.parse(found.value);
}

/** What the button of that read answers. */
export async function click(message: Message, label: string, { context }: Scripted): Promise<Message> {
  const ask = Ask.parse(carried(message, label));
  const command = commandOf(ask);
  if (command.effect !== "read") throw new Error("no read");
  return command.answer(ask, context);
}

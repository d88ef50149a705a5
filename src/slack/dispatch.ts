import type { Command } from "../commands/command.ts";
import { connectForm } from "../views/connect-form.ts";
import type { Message } from "../views/message.ts";
import type { Deed } from "./deed.ts";
import { accept } from "./deliveries.ts";
import { openForm } from "./forms.ts";
import { linkOwner } from "./link-owner.ts";
import { answerRead } from "./read.ts";
import { sentences } from "./sentence.ts";
import type { Asked, Shell } from "./shell.ts";

type Dispatched = Asked & {
  readonly command: Command;
  /** What Slack calls this delivery. */
  readonly id: string;
  /** What a form can be opened with; a mention has none. */
  readonly triggerId?: string;
};

/** Ends the delivery, with a message for the person or without. */
type Say = (message: Message | undefined) => Promise<void>;

/** An Ask on its way to where its verb is done, whichever way it came. What changes something is stored first. */
export async function dispatch(
  shell: Shell,
  { command, ask, place, id, triggerId }: Dispatched,
  say: Say,
): Promise<void> {
  switch (command.effect) {
    case "read": {
      const isTaken = shell.inflight.start((signal) => answerRead(shell, { command, ask, place }, signal));
      return say(isTaken ? undefined : sentences.busy());
    }
    case "write":
      return accept(shell, { id, deed: { kind: "ask", ask, place }, ack: say });
    case "decide": {
      const { kind: decision, changeId, reason } = command.decision(ask);
      const deed: Deed = { kind: "decide", decision, changeId, place, ...(reason !== undefined && { reason }) };
      return accept(shell, { id, deed, ack: say });
    }
    case "link":
      return link(shell, { ...command.link(ask), place, id, triggerId }, say);
  }
}

type Linking = Pick<Dispatched, "place" | "id"> & {
  readonly kind: "connect" | "disconnect";
  readonly whose: "mine" | "channel";
  readonly triggerId: string | undefined;
};

async function link(shell: Shell, { kind, whose, place, id, triggerId }: Linking, say: Say): Promise<void> {
  if (whose === "channel" && place.channelId.startsWith("D")) return say(sentences.noChannel());
  if (kind === "disconnect") return accept(shell, { id, deed: { kind, whose, place }, ack: say });
  if (triggerId === undefined) return say(sentences.needsCommand(shell.settings.command));
  await say(undefined);
  const metadata = JSON.stringify({ whose, place });
  const view = connectForm({ owner: linkOwner(whose, place), metadata });
  return openForm(shell, { triggerId, view, place });
}

import type { BindingWish, Command } from "../commands/command.ts";
import { connectForm } from "../views/forms/connect-form.ts";
import type { Message } from "../views/kit/message.ts";
import { refusalMessage } from "../views/messages/refusal-message.ts";
import { useMessage } from "../commands/verbs/use/message.ts";
import type { Interaction, SentForm } from "./inbox/interaction.ts";
import { accept } from "./inbox/accept.ts";
import { linkOwner } from "./link-owner.ts";
import { refusedEarly } from "./access/may-link.ts";
import { isDirect } from "./origin.ts";
import { answerRead } from "./answer-read.ts";
import { sentences } from "../views/messages/sentences.ts";
import type { Asked, Shell } from "./shell.ts";
import { showBinding } from "./bind.ts";

type Dispatched = Asked & {
  readonly command: Command;
  /** What Slack calls this delivery. */
  readonly id: string;
  /** Ends the delivery with a form; a mention cannot open one. */
  readonly opens?: (view: object) => Promise<void>;
  /** The form in which it was asked for; of a write. */
  readonly form?: SentForm;
};

/** Ends the delivery, with a message for the person or without. */
type Say = (message: Message | undefined) => Promise<void>;

/** An Ask on its way to where its verb is done, whichever way it came. What changes something is stored first. */
export async function dispatch(
  shell: Shell,
  { command, ask: typed, origin, id, opens, form }: Dispatched,
  say: Say,
): Promise<void> {
  // An answer in a thread is for everybody who reads the thread.
  const ask = { ...typed, share: typed.share || origin.threadTs !== undefined };
  switch (command.effect) {
    case "read": {
      const isTaken = shell.lanes.add({ lane: "people", owner: origin.userId }, (signal) =>
        answerRead(shell, { command, ask, origin }, signal),
      );
      return say(isTaken ? undefined : sentences.busy());
    }
    case "write":
      return accept(shell, { id, interaction: { kind: "ask", ask, origin, ...(form && { form }) }, ack: say });
    case "decide": {
      const { kind: decision, changeId, reason } = command.decision(ask);
      const interaction: Interaction = {
        kind: "decide",
        decision,
        changeId,
        origin,
        ...(reason !== undefined && { reason }),
      };
      return accept(shell, { id, interaction, ack: say });
    }
    case "link":
      return link(shell, { ...command.link(ask), origin, id, opens }, say);
    case "bind":
      return use(shell, { wish: command.binding(ask), origin, id }, say);
  }
}

type Using = Pick<Dispatched, "origin" | "id"> & { readonly wish: BindingWish };

async function use(shell: Shell, { wish, origin, id }: Using, say: Say): Promise<void> {
  if (isDirect(origin.channelId)) return say(useMessage({ kind: "direct", command: shell.settings.command }));
  if (wish.kind === "show") {
    const isTaken = shell.lanes.add({ lane: "people", owner: origin.userId }, () => showBinding(shell, origin));
    return say(isTaken ? undefined : sentences.busy());
  }
  const interaction: Interaction = { kind: "use", origin, ...(wish.kind === "bind" && { terms: wish.terms }) };
  return accept(shell, { id, interaction, ack: say });
}

type Linking = Pick<Dispatched, "origin" | "id"> & {
  readonly kind: "connect" | "disconnect";
  readonly whose: "mine" | "channel";
  readonly opens: Dispatched["opens"];
};

async function link(shell: Shell, { kind, whose, origin, id, opens }: Linking, say: Say): Promise<void> {
  if (whose === "channel" && isDirect(origin.channelId)) return say(sentences.noChannel());
  if (kind === "disconnect") return accept(shell, { id, interaction: { kind, whose, origin }, ack: say });
  if (opens === undefined) return say(sentences.needsCommand(shell.settings.command));
  const refusal = whose === "channel" ? await refusedEarly(shell, { kind, whose, origin }) : undefined;
  if (refusal !== undefined) {
    return say(refusalMessage({ kind: "policy", verdict: refusal, command: shell.settings.command }));
  }
  const metadata = JSON.stringify({ whose, origin });
  return opens(connectForm({ owner: linkOwner(whose, origin), metadata }));
}

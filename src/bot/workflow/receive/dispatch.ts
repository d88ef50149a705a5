import type { Ask } from "../../ask.ts";
import { annotate } from "../../../platform/trail.ts";
import type { BindingWish, Command, Whose } from "../../commands/command.ts";
import { connectForm } from "../../views/forms/connect-form.ts";
import type { Message } from "../../views/kit/post.ts";
import { refusalMessage } from "../../views/messages/error-messages.ts";
import { useMessage } from "../../commands/verbs/use.ts";
import type { Interaction, SentForm } from "../inbox/interaction.ts";
import type { Work } from "../inbox/scheduler.ts";
import { accept } from "./delivery.ts";
import { linkOwner, refusedEarly } from "../propose/link.ts";
import { isDirect, type Origin } from "../origin.ts";
import { answerRead, answerStatus } from "../propose/answer.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { showBinding } from "../propose/bind.ts";
import { answerWaiting } from "../reply.ts";
import type { WorkflowParts } from "../ports.ts";

type Dispatched = {
  readonly ask: Ask;
  readonly origin: Origin;
  readonly command: Command;
  /** Slack's id of this delivery. */
  readonly id: string;
  /** Ends the delivery with a form; a mention cannot open one. */
  readonly opens?: (view: object) => Promise<void>;
  /** The form it was requested in; of a write. */
  readonly form?: SentForm;
};

/** Ends the delivery, with a message for the person or without. */
type Say = (message: Message | undefined) => Promise<void>;

/** Hands an Ask to its verb, whether it was typed or came from a form. Changes are stored first. */
export async function dispatch(
  deps: WorkflowParts,
  { command, ask: typed, origin, id, opens, form }: Dispatched,
  say: Say,
): Promise<void> {
  annotate({ verb: command.name });
  // An answer in a thread is for everybody who reads the thread.
  const ask = { ...typed, share: typed.share || origin.threadTs !== undefined };
  switch (command.effect) {
    case "read":
      return inLane(deps, origin, say, (signal) =>
        answerWaiting(deps, origin, () => answerRead(deps, { command, ask, origin }, signal)),
      );
    case "status":
      return inLane(deps, origin, say, () => answerWaiting(deps, origin, () => answerStatus(deps, ask, origin)));
    case "write":
      return accept(deps, { id, interaction: { kind: "ask", ask, origin, ...(form && { form }) }, ack: say });
    case "decide": {
      const { kind: decision, changeId, reason } = command.decision(ask);
      const interaction: Interaction = {
        kind: "decide",
        decision,
        changeId,
        origin,
        ...(reason !== undefined && { reason }),
      };
      return accept(deps, { id, interaction, ack: say });
    }
    case "watch":
      return accept(deps, { id, interaction: { kind: "watch", ask, origin }, ack: say });
    case "link":
      return link(deps, { ...command.link(ask), origin, id, opens }, say);
    case "bind":
      return use(deps, { wish: command.binding(ask), origin, id }, say);
  }
}

/** Reads after the ack. */
function inLane({ lanes }: WorkflowParts, { userId: owner }: Origin, say: Say, work: Work): Promise<void> {
  return say(lanes.add({ lane: "people", owner }, work) ? undefined : sentences.busy());
}

type Using = Pick<Dispatched, "origin" | "id"> & { readonly wish: BindingWish };

async function use(deps: WorkflowParts, { wish, origin, id }: Using, say: Say): Promise<void> {
  if (isDirect(origin.channelId)) return say(useMessage({ kind: "direct", command: deps.settings.command }));
  if (wish.kind === "show") {
    return inLane(deps, origin, say, () => showBinding(deps, origin));
  }
  const interaction: Interaction = { kind: "use", origin, ...(wish.kind === "bind" && { terms: wish.terms }) };
  return accept(deps, { id, interaction, ack: say });
}

type Linking = Pick<Dispatched, "origin" | "id"> & {
  readonly kind: "connect" | "disconnect";
  readonly whose: Whose;
  readonly opens: Dispatched["opens"];
};

async function link(deps: WorkflowParts, { kind, whose, origin, id, opens }: Linking, say: Say): Promise<void> {
  if (whose === "channel" && isDirect(origin.channelId)) return say(sentences.noChannel());
  if (kind === "disconnect") return accept(deps, { id, interaction: { kind, whose, origin }, ack: say });
  if (opens === undefined) return say(sentences.needsCommand(deps.settings.command));
  const refusal = whose !== "mine" ? await refusedEarly(deps, { kind, whose, origin }) : undefined;
  if (refusal !== undefined) {
    return say(refusalMessage({ kind: "policy", verdict: refusal, command: deps.settings.command }));
  }
  const metadata = JSON.stringify({ whose, origin });
  return opens(connectForm({ owner: linkOwner(whose, origin), metadata }));
}

import type { Card } from "../../changes/stored-change.ts";
import type { Message } from "../../views/kit/message.ts";
import { rejectForm } from "../../views/forms/reject-form.ts";
import type { Ack } from "./ack.ts";
import { answerDecision } from "../../workflow/answer-decision.ts";
import type { Interaction } from "../../workflow/inbox/interaction.ts";
import { accept } from "../../workflow/inbox/accept.ts";
import { openForm } from "../modals/update-view.ts";
import { findVisibleChange } from "../../workflow/access/find-visible-change.ts";
import type { Origin } from "../../workflow/origin.ts";
import { retire } from "../cards/retire.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Shell } from "../../workflow/shell.ts";

type OnCard = Carded & {
  /** What Slack calls this click. */
  readonly id: string;
  readonly triggerId: string;
};

const PREFIX = "change:";

/** What a button of a card does: "approve" of `change:approve`; undefined for other buttons. */
export function cardAction(actionId: string | undefined): string | undefined {
  return actionId?.startsWith(PREFIX) === true ? actionId.slice(PREFIX.length) : undefined;
}

/** A button of a Change's card. Its answer stands beside the card: the card itself is drawn from state. */
export async function onCard(shell: Shell, clicked: OnCard, ack: Ack): Promise<void> {
  const { about, changeId, card, origin, id, triggerId } = clicked;
  const { replaces: _replaces, ...beside } = origin;
  const tell = (message: Message): Promise<void> => shell.lanes.track(shell.poster.tell(message, beside));
  if (about === "reject") {
    await ack();
    const metadata = JSON.stringify({ changeId, card, origin: beside });
    return openRejection(shell, { changeId, card, metadata, triggerId, origin: beside });
  }
  const interaction = deedOf({ about, changeId, card, origin: beside });
  if (interaction === undefined) {
    await ack();
    return tell(sentences.staleButton(shell.settings.command));
  }
  // The ack of a click shows nothing, so what it would say is said beside it.
  return accept(shell, {
    id,
    interaction,
    ack: async (refusal) => {
      await ack();
      if (refusal !== undefined) await tell(refusal);
    },
  });
}

type Rejecting = {
  readonly changeId: string;
  readonly card: Card | undefined;
  readonly metadata: string;
  readonly triggerId: string;
  readonly origin: Origin;
};

/** Asks why; what is not to be decided any more is said instead. */
async function openRejection(shell: Shell, rejecting: Rejecting): Promise<void> {
  const { changeId, card, metadata, triggerId, origin } = rejecting;
  const known = await findVisibleChange(shell, { changeId, card, origin });
  if ("missing" in known) return answerDecision(shell, known.missing, origin);
  const { change } = known;
  if (change.state !== "pending") return answerDecision(shell, { kind: "late", change, wanted: "reject" }, origin);
  if (await retire(shell, change, { card, origin })) return answerDecision(shell, { kind: "retired", change }, origin);
  const view = rejectForm({ change, metadata, defaultRegion: shell.settings.region });
  await openForm(shell, { triggerId, view, origin });
}

type Carded = {
  readonly about: string;
  readonly changeId: string;
  /** The message whose button it was. */
  readonly card: Card | undefined;
  readonly origin: Origin;
};

function deedOf({ about, changeId, card, origin }: Carded): Interaction | undefined {
  const common = { changeId, origin, ...(card !== undefined && { card }) };
  switch (about) {
    case "approve":
    case "cancel":
      return { kind: "decide", decision: about, ...common };
    case "undo":
    case "again":
      return { kind: "redo", how: about, ...common };
    default:
      return undefined;
  }
}

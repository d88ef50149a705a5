import type { Card } from "../../changes/stored-change.ts";
import type { Message } from "../../views/kit/message.ts";
import { rejectForm } from "../../views/forms/reject-form.ts";
import type { Ack } from "./ack.ts";
import type { Interaction } from "../../workflow/inbox/interaction.ts";
import { accept } from "../../workflow/inbox/accept.ts";
import { lookOf, onCardLook } from "./card-look.ts";
import { openForm } from "../modals/update-view.ts";
import { findVisibleChange } from "../../workflow/access/find-visible-change.ts";
import type { Origin } from "../../workflow/origin.ts";
import { decisionPost, retireOutdated } from "../../workflow/decide.ts";
import type { DecisionAnswer } from "../../views/messages/decision-answer.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Lanes } from "../../workflow/inbox/lanes.ts";
import type { Responder } from "../../workflow/ports.ts";
import type { Settings } from "../../commands/command.ts";
import type { DepsOf } from "../deps-of.ts";

export type CardClickDeps = DepsOf<
  typeof accept | typeof findVisibleChange | typeof retireOutdated | typeof openForm | typeof onCardLook
> & {
  readonly lanes: Pick<Lanes, "track">;
  readonly responder: Pick<Responder, "tellPatiently">;
  readonly settings: Settings;
};

type OnCard = Carded & {
  /** Slack's id of this click. */
  readonly id: string;
  readonly triggerId: string;
};

const PREFIX = "change:";

/** The action of a card's button: "approve" of `change:approve`; undefined for other buttons. */
export function cardAction(actionId: string | undefined): string | undefined {
  return actionId?.startsWith(PREFIX) === true ? actionId.slice(PREFIX.length) : undefined;
}

/** Ends the action of a button on another message than the card, such as a private answer about the request. */
const BESIDE = ":beside";

/** A button of a request's card. It is answered below the card: the card itself is drawn from state. */
export async function onCard(deps: CardClickDeps, clicked: OnCard, ack: Ack): Promise<void> {
  const { changeId, origin, id, triggerId } = clicked;
  const isBeside = clicked.about.endsWith(BESIDE);
  const about = isBeside ? clicked.about.slice(0, -BESIDE.length) : clicked.about;
  const card = isBeside ? undefined : clicked.card;
  const { replaces: _replaces, ...beside } = origin;
  const tell = (message: Message): Promise<unknown> => deps.lanes.track(deps.responder.tellPatiently(message, beside));
  if (about === "reject") {
    await ack();
    const metadata = JSON.stringify({ changeId, card, origin: beside });
    return openRejection(deps, { changeId, card, metadata, triggerId, origin: beside });
  }
  const look = lookOf(about, changeId);
  if (look !== undefined) {
    await ack();
    return onCardLook(deps, { ...look, card, origin: beside, tell });
  }
  const interaction = interactionOf({ about, changeId, card, origin: beside });
  if (interaction === undefined) {
    await ack();
    await tell(sentences.staleButton(deps.settings.command));
    return;
  }
  // The ack of a click shows nothing, so a refusal is a message of its own.
  return accept(deps, {
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

/** Opens the form for the reason, or answers that the Change is already decided. */
async function openRejection(deps: CardClickDeps, rejecting: Rejecting): Promise<void> {
  const { changeId, card, metadata, triggerId, origin } = rejecting;
  const answer = (what: DecisionAnswer): Promise<void> =>
    deps.responder.tellPatiently(decisionPost(deps.settings, what), origin);
  const known = await findVisibleChange(deps, { changeId, card, origin });
  if ("missing" in known) return answer(known.missing);
  const { change } = known;
  if (change.state !== "pending") return answer({ kind: "late", change, wanted: "reject" });
  if (await retireOutdated(deps, change, card)) return answer({ kind: "retired", change });
  const view = rejectForm({ change, metadata, defaultRegion: deps.settings.region });
  await openForm(deps, { triggerId, view, origin });
}

type Carded = {
  readonly about: string;
  readonly changeId: string;
  /** The message whose button it was. */
  readonly card: Card | undefined;
  readonly origin: Origin;
};

function interactionOf({ about, changeId, card, origin }: Carded): Interaction | undefined {
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

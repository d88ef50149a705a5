import type { StoredChange } from "../changes/stored-change.ts";
import type { Ask } from "../commands/ask.ts";
import { undoAsk } from "../commands/undo.ts";
import { UserError } from "../errors.ts";
import { decisionPost } from "./answer-decision.ts";
import type { Interaction } from "./inbox/interaction.ts";
import { findVisibleChange } from "./access/find-visible-change.ts";
import { type AskInteraction, propose } from "./propose.ts";
import { pointAtEarlierRequest } from "./duplicate-request.ts";
import { retire } from "../slack/cards/retire.ts";
import { contentOf } from "./sealed-change.ts";
import type { Shell } from "./shell.ts";

type RedoInteraction = Extract<Interaction, { kind: "redo" }> & Pick<AskInteraction, "deliveryId" | "reply" | "run">;

/**
 * The buttons of a finished card: take it back, or ask for the same again. Either is a new Change of whoever clicked,
 * with a fresh read, under policy like any other. Throws `UserError`, `Problem`, `StoreError`.
 */
export async function redo(shell: Shell, interaction: RedoInteraction, signal: AbortSignal): Promise<void> {
  const { store, sealer } = shell;
  const known = await findVisibleChange(shell, interaction);
  if ("missing" in known) return interaction.reply.send(decisionPost(shell, known.missing), "done");
  const { change } = known;
  if (await retire(shell, change, interaction)) {
    return interaction.reply.send(decisionPost(shell, { kind: "retired", change }), "done");
  }
  const content = contentOf(sealer, change);
  if (content === undefined)
    throw cannot(interaction, "What it was cannot be read any more: the key that sealed it is gone.");
  const ask = interaction.how === "again" ? againAsk(change, content.ask) : undoAsk(content.change);
  // A repeated delivery finds the Change that it asked for the first time.
  const isKnown = (await store.changeOfDelivery(interaction.deliveryId)) !== undefined;
  if (ask === undefined) throw cannot(interaction, "It is not at an end that this button is for.");
  const before = interaction.how === "undo" && !isKnown ? await store.undoOf(change.id) : undefined;
  if (before !== undefined) return pointAtEarlierRequest(shell, { ...interaction, undoOf: change.id }, before);
  const undoOf = interaction.how === "undo" ? change.id : undefined;
  const { deliveryId, origin, reply, run } = interaction;
  const asked = { kind: "ask", ask, origin, deliveryId, reply, run, ...(undoOf !== undefined && { undoOf }) } as const;
  await propose(shell, asked, signal);
}

function cannot({ how, changeId }: RedoInteraction, why: string): UserError {
  const what = how === "undo" ? "taken back" : "asked for again";
  return new UserError(`Change ${changeId} cannot be ${what} by this button. ${why}`, {
    next: "Its card shows how it stands; ask in words for what you want.",
  });
}

const repeatable = new Set<StoredChange["state"]>(["drifted", "expired", "unknown"]);

/** What is still under way, or was done, is not asked for again by a button of its card. */
function againAsk({ state, settledAt }: StoredChange, ask: Ask): Ask | undefined {
  if (!repeatable.has(state) || settledAt === undefined) return undefined;
  // Breaking the glass is for one moment; asking again goes the ordinary way.
  const { breakGlass: _breakGlass, ...rest } = ask;
  return rest;
}

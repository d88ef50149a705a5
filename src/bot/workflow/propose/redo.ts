import { partsOf, type StoredChange } from "../../changes/stored-change.ts";
import type { Ask } from "../../ask.ts";
import { whyNoUndo } from "../../commands/verbs/undo.ts";
import { UserError } from "../../errors.ts";
import { findVisibleChange } from "../access/records.ts";
import { decisionPost, retireOutdated } from "../decide/decide.ts";
import { pointAtEarlierRequest } from "./duplicate-request.ts";
import type { Interaction } from "../inbox/interaction.ts";
import { type AskInteraction, propose } from "./propose.ts";
import { contentOf, isErased, restRequest, undoRequest } from "../stored-request.ts";
import type { WorkflowParts } from "../ports.ts";

type RedoInteraction = Extract<Interaction, { kind: "redo" }> &
  Omit<AskInteraction, "kind" | "ask" | "undone" | "form">;

/**
 * The buttons of a settled card: undo it, or request the same again. Either is a new Change of the person who clicked,
 * with a fresh read, under policy like any other. Throws `UserError`, `Problem`, `StoreError`.
 */
export async function redo(deps: WorkflowParts, interaction: RedoInteraction, signal: AbortSignal): Promise<void> {
  const { store, sealer } = deps;
  const { deliveryId, how, reply } = interaction;
  const found = await findVisibleChange(deps, { ...interaction, isClicked: true });
  if ("missing" in found) return reply.send(await decisionPost(deps, found.missing), "done");
  const { change } = found;
  if (await retireOutdated(deps, change, interaction.card)) {
    return reply.send(await decisionPost(deps, { kind: "retired", change }), "done");
  }
  const content = contentOf(sealer, change);
  if (content === undefined) {
    const why = isErased(change)
      ? "What it asked for was erased."
      : "The request can't be opened: its encryption key is gone.";
    throw cannot(interaction, why);
  }
  const ask = how === "again" ? repeatedAsk(change, content.ask) : undoRequest(sealer, change, content);
  if (ask === undefined) {
    const why = how === "undo" && content.change !== undefined ? whyNoUndo(content.change) : undefined;
    throw cannot(interaction, why ?? "Its state doesn't allow this.", change);
  }
  const undone = how === "undo" ? change : undefined;
  // A repeated delivery finds the Change that it requested the first time.
  const isStored = interaction.isRepeated && (await store.find({ deliveryId })) !== undefined;
  const earlier = undone === undefined || isStored ? undefined : await store.find({ undoOf: undone.id });
  if (earlier !== undefined) return pointAtEarlierRequest(deps, { ...interaction, undone }, earlier);
  const { run, isRepeated, onFinished, confirmed } = interaction;
  const origin = { ...interaction.origin, account: change.account.username };
  const about = partsOf(change).map(({ workload }) => workload);
  const settled = { ...ask, ...(confirmed !== undefined && { confirmed }) };
  const rest = { about, deliveryId, reply, run, isRepeated, undone, onFinished };
  const asked = { kind: "ask", ask: settled, origin, ...rest } as const; // a literal kind
  await propose(deps, asked, signal);
}

function cannot({ how, changeId }: RedoInteraction, why: string, change?: StoredChange): UserError {
  const what = how === "undo" ? "undo" : "repeat";
  const { kind, name, region } = change?.workload ?? {};
  const versions = { verb: "versions", share: false, args: { name: `service/${name}` }, ...(region && { region }) };
  return new UserError(`Couldn't ${what} request ${changeId}. ${why} Nothing was changed.`, {
    next: "Type the command you want to run instead.",
    suggestions: change?.verb === "rollback" && kind === "service" ? [{ label: "Versions", ask: versions }] : [],
  });
}

const repeatable = new Set<StoredChange["state"]>(["drifted", "expired", "failed", "unknown"]);
/** Of several workloads, some may have been done: only the others are requested again. */
const repeatableParts = new Set<StoredChange["state"]>(["done", "failed", "expired", "unknown"]);

/** A request that is in progress, or was done, is not repeated by a button of its card. */
function repeatedAsk(change: StoredChange, ask: Ask): Ask | undefined {
  const { state, settledAt } = change;
  if (settledAt === undefined) return undefined;
  // Breaking the glass is for one moment; a repeated request goes the ordinary way.
  const { breakGlass: _breakGlass, again: _again, confirmed: _confirmed, ...rest } = ask;
  if (change.parts !== undefined) return repeatableParts.has(state) ? restRequest(change, rest) : undefined;
  return repeatable.has(state) ? rest : undefined;
}

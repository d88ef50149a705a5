import type { Card, StoredChange } from "../../changes/stored-change.ts";
import { UserError } from "../../errors.ts";
import type { DecisionAnswer } from "../../views/messages/decision-answer.ts";
import { changeEvent, note } from "../history.ts";
import type { Origin } from "../origin.ts";
import { permissionsFor } from "./permissions.ts";
import { maySeeChange, recordsFor, type Viewer } from "./records.ts";
import { freshness, type WorkflowParts } from "../ports.ts";
import { nearNames } from "../../policy/near-names.ts";

type Named = {
  readonly changeId: string;
  /** The message whose button was clicked; none for words. */
  readonly card?: Card | undefined;
  readonly origin: Origin;
};

type Known =
  | { readonly change: StoredChange }
  | { readonly missing: Extract<DecisionAnswer, { readonly kind: "missing" }> };

/**
 * Finds the change a person named. A hidden change gets the same answer as a missing one, with similar ids of visible
 * changes; history records the attempt. A click on the card itself is always answered. Throws `StoreError`, and
 * `UserError` when Slack can't identify the person.
 */
export async function findVisibleChange(deps: WorkflowParts, { changeId, card, origin }: Named): Promise<Known> {
  const found = await deps.store.find({ id: changeId });
  const change = found?.teamId === origin.teamId ? found : undefined;
  const isOnCard = card !== undefined && card.channelId === (change?.card?.channelId ?? card.channelId);
  if (change !== undefined && isOnCard) return { change };
  const viewer = await viewerAt(deps, origin);
  if (change !== undefined && (await maySeeChange(deps, viewer, change))) return { change };
  if (change !== undefined) await noteHidden(deps, change, viewer);
  const ids = (await recordsFor(deps, viewer).pending()).map(({ id }) => id);
  return { missing: { kind: "missing", id: changeId, nearest: nearNames(changeId, ids) } };
}

/** People without an account see no workloads through it, but still their own requests and those they may decide. */
export async function viewerAt(deps: WorkflowParts, origin: Origin): Promise<Viewer> {
  const { teamId, channelId, userId } = origin;
  const [profile, here] = await Promise.all([
    deps.people.profile(userId, freshness.deciding),
    deps.accounts.resolve(origin, "read").catch((error: unknown) => {
      if (error instanceof UserError) return undefined;
      throw error;
    }),
  ]);
  const permissions = permissionsFor(deps, { profile, channelId, account: here?.account, binding: here?.binding });
  return { profile, permissions, teamId };
}

async function noteHidden(deps: WorkflowParts, change: StoredChange, { profile }: Viewer): Promise<void> {
  const { userId, name } = profile;
  const result = "may not see this change";
  const who = { userId, name };
  await note(deps, changeEvent(deps, { ...change, id: undefined }, { kind: "vote-refused", who, result }));
}

import type { Card, StoredChange } from "../../changes/stored-change.ts";
import { nearNames } from "../../policy/near-names.ts";
import { UserError } from "../../errors.ts";
import type { DecisionAnswer } from "../../views/messages/decision-answer.ts";
import { permissionsFor } from "./context.ts";
import { eventOf, logEvent } from "../history.ts";
import { freshness } from "../../slack/directory/people.ts";
import type { Origin } from "../origin.ts";
import { maySeeChange, recordsFor, type Viewer } from "./records.ts";
import type { Shell } from "../shell.ts";

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
export async function findVisibleChange(shell: Shell, { changeId, card, origin }: Named): Promise<Known> {
  const found = await shell.store.findChange(changeId);
  const change = found?.teamId === origin.teamId ? found : undefined;
  const isOnCard = card !== undefined && card.channelId === (change?.card?.channelId ?? card.channelId);
  if (change !== undefined && isOnCard) return { change };
  const viewer = await viewerAt(shell, origin);
  if (change !== undefined && (await maySeeChange(shell, viewer, change))) return { change };
  if (change !== undefined) await noteHidden(shell, change, viewer);
  const ids = (await recordsFor(shell, viewer).pending()).map(({ id }) => id);
  return { missing: { kind: "missing", id: changeId, nearest: nearNames(changeId, ids) } };
}

/** People without an account see no workloads through it, but still their own requests and those they may decide. */
export async function viewerAt(shell: Shell, origin: Origin): Promise<Viewer> {
  const { teamId, channelId, userId } = origin;
  const [profile, here] = await Promise.all([
    shell.people.profile(userId, freshness.deciding),
    shell.accounts.here(origin, "read").catch((error: unknown) => {
      if (error instanceof UserError) return undefined;
      throw error;
    }),
  ]);
  const permissions = permissionsFor(shell, { profile, channelId, account: here?.account, binding: here?.binding });
  return { profile, permissions, teamId };
}

async function noteHidden(shell: Shell, change: StoredChange, { profile }: Viewer): Promise<void> {
  const { userId, name } = profile;
  const result = "may not see this change";
  const event = eventOf(shell, { ...change, id: undefined }, { kind: "vote-refused", who: { userId, name }, result });
  await shell.store.addEvent(event);
  logEvent(shell, event);
}

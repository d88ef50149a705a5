import type { StoredChange } from "../../changes/stored-change.ts";
import type { CanApprove } from "../../views/cards/change-facts.ts";
import type { Names } from "../../views/kit/post.ts";
import type { People } from "../ports.ts";
import { cardChannel, findApprovers } from "./approvers.ts";

/**
 * Names of the people and user groups that may approve, for texts without mentions and for screen readers. Leaves out
 * names that Slack can't say: the card then shows ids.
 */
export async function namesFor(people: People, { state, terms }: StoredChange): Promise<Names> {
  if (terms === undefined || state !== "pending") return {};
  const { users, groups } = terms.from;
  const known = await people.someProfiles(users, (found) => found.length === users.length).catch(() => undefined);
  const named = [...(known ?? [])].map(([id, { name }]) => [id, name] as const);
  const handles = groups.length === 0 ? undefined : await people.groupHandles().catch(() => undefined);
  const grouped = groups.flatMap((id) => {
    const handle = handles?.get(id);
    return handle === undefined ? [] : [[id, handle] as const];
  });
  return Object.fromEntries([...named, ...grouped]);
}

/** How many approvers a card names. */
const NAMED = 5;

/**
 * Who can still approve a waiting request, for its card. As many as it needs were looked up before it was stored, so
 * drawing a card asks Slack for nobody.
 */
export async function approversFor(people: People, change: StoredChange): Promise<CanApprove | undefined> {
  const { state, terms, votes, requester } = change;
  if (terms === undefined || state !== "pending") return undefined;
  const without = terms.selfApproval ? undefined : requester.userId;
  const known = { from: terms.from, channelId: cardChannel(change), without, enough: 0 };
  const { profiles, isComplete } = await findApprovers(people, known);
  const left = profiles.filter(({ userId }) => votes.every((vote) => vote.userId !== userId));
  return { names: left.slice(0, NAMED).map(({ name }) => name), count: isComplete ? left.length : undefined };
}

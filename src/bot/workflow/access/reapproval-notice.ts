import type { StoredChange } from "../../changes/stored-change.ts";
import type { Terms } from "../../policy/verdict.ts";
import { counted } from "../../views/kit/text.ts";

/** Why an approved Change needs approval again: "Ann Lee's approval no longer counts. 1 more approval is needed." */
export function reapprovalNotice(
  { terms: before, votes }: Pick<StoredChange, "terms" | "votes">,
  now: Terms,
  counting: readonly string[],
): string {
  const lost = votes.filter(({ userId }) => !counting.includes(userId)).map(({ name }) => name);
  const missing = now.votes - counting.length;
  const more = counting.length === 0 ? "approval" : "more approval";
  return [
    ...(before !== undefined && isSame(before, now) ? [] : ["The policy changed since the request."]),
    ...lostWords(lost),
    `${counted(missing, more)} ${missing === 1 ? "is" : "are"} needed.`,
  ].join(" ");
}

function lostWords(names: readonly string[]): readonly string[] {
  const last = names.at(-1);
  if (last === undefined) return [];
  if (names.length === 1) return [`${last}'s approval no longer counts.`];
  return [`The approvals of ${names.slice(0, -1).join(", ")} and ${last} no longer count.`];
}

/** Compares who must approve, not the expiry or whom the card mentions. */
function isSame(one: Terms, other: Terms): boolean {
  return partsOf(one) === partsOf(other);
}

function partsOf({ votes, from, selfApproval, reasonRequired, cardIn }: Terms): string {
  const { users, groups, channelMembers } = from;
  return JSON.stringify([votes, users, groups, channelMembers, selfApproval, reasonRequired, cardIn ?? null]);
}

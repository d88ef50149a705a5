import type { StoredChange } from "../../changes/stored-change.ts";
import type { Approvers, Terms } from "../../policy/verdict.ts";
import { freshness, type People, type Profile } from "../ports.ts";

type Wanted = {
  readonly from: Approvers;
  /** The channel of the card. */
  readonly channelId: string;
  /** Their own approval doesn't count. */
  readonly without: string | undefined;
  /** Looking ends when so many are found: each one can cost a call. */
  readonly enough: number;
};

/** Some of the people who may approve; `count` includes people who were not looked up. */
export type Found = { readonly profiles: readonly Profile[]; readonly count: number };

/** People who could approve now. Throws a `UserError` when Slack can't say. */
export async function findApprovers(people: People, { from, channelId, without, enough }: Wanted): Promise<Found> {
  const named = await namedIn(people, from, freshness.deciding);
  const others = from.channelMembers ? await people.channelMembers(channelId, freshness.reading) : undefined;
  const bot = people.bot().userId;
  const ids = [...new Set([...named, ...(others ?? [])])].filter((id) => id !== without && id !== bot);
  const profiles: Profile[] = [];
  let out = 0;
  for (const id of ids) {
    if (profiles.length >= enough) break;
    const profile = await people.profile(id, freshness.reading, id);
    if (mayVote(profile, named.has(id))) profiles.push(profile);
    else out += 1;
  }
  return { profiles, count: ids.length - out };
}

async function namedIn(people: People, { users, groups }: Approvers, maxAgeMs: number): Promise<ReadonlySet<string>> {
  const members = await Promise.all(groups.map((group) => people.groupMembers(group, maxAgeMs)));
  return new Set([...users, ...members.flatMap((group) => [...group])]);
}

/** Bots and deactivated people never vote; guests and outsiders only where a rule names them. */
function mayVote({ standing }: Profile, isNamed: boolean): boolean {
  if (standing === "bot" || standing === "deactivated") return false;
  return standing === "member" || isNamed;
}

export type Eligibility =
  | { readonly kind: "may"; readonly profile: Profile }
  | { readonly kind: "own" | "foreign" | "standing"; readonly profile: Profile };

type Voter = {
  readonly userId: string;
  readonly requesterId: string;
  /** The channel of the card. */
  readonly channelId: string;
  readonly maxAgeMs?: number;
};

/** Whether a person may approve now. Throws a `UserError` when Slack can't say: then the approval doesn't count. */
export async function eligibility(
  people: People,
  terms: Terms,
  { userId, requesterId, channelId, maxAgeMs = freshness.deciding }: Voter,
): Promise<Eligibility> {
  const profile = await people.profile(userId, maxAgeMs);
  if (profile.standing === "bot" || profile.standing === "deactivated") return { kind: "standing", profile };
  if (userId === requesterId && !terms.selfApproval) return { kind: "own", profile };
  const isNamed = (await namedIn(people, terms.from, maxAgeMs)).has(userId);
  if (isNamed) return { kind: "may", profile };
  if (profile.standing !== "member") return { kind: "standing", profile };
  const isHere = terms.from.channelMembers && (await people.channelMembers(channelId, maxAgeMs))?.has(userId) === true;
  return { kind: isHere ? "may" : "foreign", profile };
}

/** Where the card of a request is, or will be posted. */
export function cardChannel({ card, terms, channelId }: Pick<StoredChange, "card" | "terms" | "channelId">): string {
  return card?.channelId ?? terms?.cardIn ?? channelId;
}

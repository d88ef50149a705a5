import type { StoredChange } from "../../changes/stored-change.ts";
import { SlackAway, UserError } from "../../errors.ts";
import type { CanApprove } from "../../views/cards/change-facts.ts";
import type { Approvers, Standing, Terms } from "../../policy/policy.ts";
import { freshness, type People, type WorkflowParts } from "../ports.ts";
import type { Profile } from "../stored.ts";
import type { Names, Post } from "../../views/kit/post.ts";
import type { Asker } from "../../commands/command.ts";
import { counted } from "../../views/kit/text.ts";
import { refusalMessage } from "../../views/messages/error-messages.ts";
import { isDirect } from "../origin.ts";

type Wanted = {
  readonly from: Approvers;
  /** The channel of the card. */
  readonly channelId: string;
  /** Their own approval doesn't count. */
  readonly without: string | undefined;
  /** Looking ends when so many are found: others can cost calls of Slack. */
  readonly enough: number;
  /** How old the answer about groups and channels may be. */
  readonly maxAgeMs?: number;
};

export type Found = {
  /** People who could approve now. */
  readonly profiles: readonly Profile[];
  /** False: not everybody was checked, so there may be more. */
  readonly isComplete: boolean;
  /** A permanent failure, such as a missing scope: nobody is an approver this way. */
  readonly refusal: UserError | undefined;
};

/** People who could approve now, as far as Slack says. It takes a bounded number of calls. */
export async function findApprovers(people: People, wanted: Wanted): Promise<Found> {
  const { from, channelId, without, enough, maxAgeMs = freshness.reading } = wanted;
  const groups = await Promise.allSettled(
    from.groups.map((group) => people.groupMembers(group, Math.min(maxAgeMs, freshness.deciding))),
  );
  const [here] = await Promise.allSettled([
    from.channelMembers ? people.channelMembers(channelId, maxAgeMs) : undefined,
  ]);
  const failed = [...groups, here].find((each) => each.status === "rejected");
  if (failed !== undefined && !(failed.reason instanceof UserError)) throw failed.reason;
  const named = new Set([
    ...from.users,
    ...groups.flatMap((each) => (each.status === "fulfilled" ? [...each.value] : [])),
  ]);
  const members = here.status === "fulfilled" ? here.value : undefined;
  const bot = people.bot().userId;
  const ids = [...new Set([...named, ...(members ?? [])])].filter((id) => id !== without && id !== bot);
  const able = (profiles: readonly Profile[]): readonly Profile[] =>
    profiles.filter((profile) => mayVote(profile, named.has(profile.userId)));
  const known = await people.someProfiles(ids, (profiles) => able(profiles).length >= enough);
  const inOrder = ids.flatMap((id) => known.get(id) ?? []);
  return {
    profiles: able(inOrder),
    isComplete: failed === undefined && inOrder.length === ids.length,
    refusal: failed === undefined || failed.reason instanceof SlackAway ? undefined : failed.reason,
  };
}

/** How many approvers a card, or a view before "and others", names. */
const NAMED = 5;

/** Names of people who could approve, for views. Throws a `UserError` when Slack won't tell. */
export async function approversNow(people: People, wanted: Omit<Wanted, "enough">): Promise<CanApprove> {
  const { profiles, isComplete, refusal } = await findApprovers(people, { ...wanted, enough: NAMED });
  if (refusal !== undefined && profiles.length === 0) throw refusal;
  const names = profiles.slice(0, NAMED).map(({ name }) => name);
  return { names, count: isComplete ? profiles.length : undefined };
}

/** Bots and deactivated people never vote; guests and outsiders only where a rule names them. */
function mayVote({ standing }: Profile, isNamed: boolean): boolean {
  if (standing === "bot" || standing === "deactivated") return false;
  return standing === "member" || isNamed;
}

export type Eligibility =
  | { readonly kind: "may"; readonly profile: Profile }
  | { readonly kind: "own" | "foreign"; readonly profile: Profile }
  | { readonly kind: "standing"; readonly profile: Profile; readonly standing: Exclude<Standing, "member"> };

type Voter = {
  readonly userId: string;
  readonly requesterId: string;
  /** The channel of the card. */
  readonly channelId: string;
  readonly maxAgeMs?: number;
  /** Cached profiles are enough: fresh ones would cost calls for each row. Nobody is refused by it. */
  readonly isForList?: boolean;
};

/** Whether a person may approve now. Throws a `UserError` when Slack can't say: then the approval doesn't count. */
export async function eligibility(
  people: People,
  terms: Terms,
  { userId, requesterId, channelId, maxAgeMs = freshness.deciding, isForList = false }: Voter,
): Promise<Eligibility> {
  const profile = await people.profile(userId, isForList ? freshness.profile : maxAgeMs);
  const { standing } = profile;
  if (standing === "bot" || standing === "deactivated") return { kind: "standing", profile, standing };
  if (userId === requesterId && !terms.selfApproval) return { kind: "own", profile };
  const isFrom = (ageMs: number): Promise<boolean> => qualifies(people, terms.from, { profile, channelId, ageMs });
  const isApprover = isForList ? await isFrom(maxAgeMs) : await beforeNo(people, isFrom, Boolean, maxAgeMs);
  if (isApprover) return { kind: "may", profile };
  return standing === "member" ? { kind: "foreign", profile } : { kind: "standing", profile, standing };
}

/** One way is enough: what Slack doesn't say about another group matters only if none of the others counts. */
async function qualifies(
  people: People,
  { users, groups, channelMembers }: Approvers,
  {
    profile: { userId, standing },
    channelId,
    ageMs,
  }: { readonly profile: Profile; readonly channelId: string; readonly ageMs: number },
): Promise<boolean> {
  if (users.includes(userId)) return true;
  const ways: Promise<ReadonlySet<string> | undefined>[] = groups.map((group) => people.groupMembers(group, ageMs));
  // Guests and people of other organizations count only where a rule names them.
  if (channelMembers && standing === "member") ways.push(people.channelMembers(channelId, ageMs));
  const answers = await Promise.allSettled(ways);
  if (answers.some((each) => each.status === "fulfilled" && each.value?.has(userId) === true)) return true;
  const failed = answers.find((each) => each.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return false;
}

/** Where the card of a request is, or will be posted. */
export function cardChannel({ card, terms, channelId }: Pick<StoredChange, "card" | "terms" | "channelId">): string {
  return card?.channelId ?? terms?.cardIn ?? channelId;
}

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

/** Who can still approve a waiting request, for its card: the same people that `can-i` names, without those who did. */
export async function approversFor(people: People, change: StoredChange): Promise<CanApprove | undefined> {
  const { state, terms, votes, requester } = change;
  if (terms === undefined || state !== "pending") return undefined;
  const without = terms.selfApproval ? undefined : requester.userId;
  const enough = NAMED + votes.length;
  const wanted = { from: terms.from, channelId: cardChannel(change), without, enough };
  const { profiles, isComplete } = await findApprovers(people, wanted);
  const left = profiles.filter(({ userId }) => votes.every((vote) => vote.userId !== userId));
  return { names: left.slice(0, NAMED).map(({ name }) => name), count: isComplete ? left.length : undefined };
}

type Clocked = Pick<People, "nowMs">;

/** The maximum age of facts read since that moment. */
export function ageSince({ nowMs }: Clocked, sinceMs: number): number {
  return nowMs() - sinceMs + 1;
}

/**
 * An answer from facts that may be seconds old, unless it would be a no: somebody may just have been invited, or have
 * joined. Then it is asked again with facts read from now on.
 */
export async function beforeNo<Answer>(
  people: Clocked,
  ask: (maxAgeMs: number) => Promise<Answer>,
  isYes: (answer: Answer) => boolean,
  maxAgeMs: number = freshness.deciding,
): Promise<Answer> {
  const sinceMs = people.nowMs();
  const answer = await ask(maxAgeMs);
  return isYes(answer) ? answer : ask(Math.min(maxAgeMs, ageSince(people, sinceMs)));
}

export async function hasLeft(people: People, channelId: string, userId: string): Promise<boolean> {
  const isIn = (members: ReadonlySet<string> | undefined): boolean => members?.has(userId) === true;
  const members = await beforeNo(people, (ageMs) => people.channelMembers(channelId, ageMs), isIn, freshness.reading);
  // Without members it is Gantry that isn't in the channel: somebody may invite it again.
  return members !== undefined && !isIn(members);
}

/** Why nobody could approve it, for the requester and for history. */
type Unapprovable = { readonly post: Post; readonly why: string };
type Waiting = { readonly terms: Terms; readonly rule: string; readonly asker: Pick<Asker, "userId" | "channelId"> };

/**
 * Before a card is posted: can it stand there, and could enough people approve it? A request that nobody can see or
 * decide is refused at once. Throws a `UserError` when Slack can't say whether the card can stand there, or won't say who
 * could approve.
 */
export async function preflight(
  deps: WorkflowParts,
  { terms, rule, asker }: Waiting,
): Promise<Unapprovable | undefined> {
  const { command } = deps.settings;
  const channelId = terms.cardIn ?? asker.channelId;
  // Nobody else sees a direct conversation.
  if (isDirect(channelId)) {
    return { post: refusalMessage({ kind: "dm", rule, command }), why: "a direct message has no approvers" };
  }
  return (await noCardThere(deps, { channelId, rule })) ?? tooFew(deps, { terms, rule, asker }, channelId);
}

/** Breaking the glass has to be seen by a channel: it is refused where nobody would see it. Throws like `preflight`. */
export async function preflightGlass(
  deps: WorkflowParts,
  { rule, asker: { channelId } }: Omit<Waiting, "terms">,
): Promise<Unapprovable | undefined> {
  if (!isDirect(channelId)) return noCardThere(deps, { channelId, rule });
  const why = "You can't use break-glass here: nobody else would see it.";
  const verdict = { kind: "refuse", rule, why, next: "Request it in a channel with the people it affects." } as const;
  return { post: refusalMessage({ kind: "policy", verdict, command: deps.settings.command }), why };
}

/** Whether Gantry can post there. Slack lists a public channel's members to a bot that isn't one of them. Throws a `UserError`. */
export async function isBotIn(people: People, channelId: string, maxAgeMs?: number): Promise<boolean> {
  const { userId } = people.bot();
  const isIn = (members: ReadonlySet<string> | undefined): boolean =>
    members !== undefined && (userId === undefined || members.has(userId));
  return isIn(await beforeNo(people, (ageMs) => people.channelMembers(channelId, ageMs), isIn, maxAgeMs));
}

async function noCardThere(
  { people, settings: { command } }: WorkflowParts,
  { channelId, rule }: { readonly channelId: string; readonly rule: string },
): Promise<Unapprovable | undefined> {
  if (await isBotIn(people, channelId)) return undefined;
  const post = refusalMessage({ kind: "no-card", rule, command, channelId, botName: people.bot().name });
  return { post, why: "Gantry isn't in the channel of the approval card" };
}

async function tooFew(
  { people, settings }: WorkflowParts,
  { terms, rule, asker }: Waiting,
  channelId: string,
): Promise<Unapprovable | undefined> {
  const { from, votes: needed, selfApproval } = terms;
  const without = selfApproval ? undefined : asker.userId;
  // Whoever wasn't looked up may be able to: only a complete answer refuses.
  const isPossible = ({ profiles, isComplete }: Found): boolean => profiles.length >= needed || !isComplete;
  const look = (maxAgeMs: number): Promise<Found> =>
    findApprovers(people, { from, channelId, without, enough: needed, maxAgeMs });
  const found = await beforeNo(people, look, isPossible, freshness.reading);
  if (found.refusal !== undefined && found.profiles.length < needed) throw found.refusal;
  if (isPossible(found)) return undefined;
  const names = found.profiles.map(({ name }) => name);
  const post = refusalMessage({ kind: "approvers", rule, command: settings.command, needed, names });
  return {
    post,
    why: `${counted(needed, "approval")} needed, and ${names.length === 0 ? "nobody" : `only ${names.join(", ")}`} could approve`,
  };
}

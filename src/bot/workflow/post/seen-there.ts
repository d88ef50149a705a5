import { type Ending, type Health, partsOf, type StoredChange } from "../../changes/stored-change.ts";
import { mayName, mayReadLog, maySee, type Typed } from "../../commands/lookup/may-see.ts";
import { SlackAway, UserError } from "../../errors.ts";
import { isLateHealth, seenOf } from "../../views/kit/health.ts";
import { hasLeft } from "../access/approvers.ts";
import { watchGroups } from "../access/clear-to-run.ts";
import { permissionsFor } from "../access/permissions.ts";
import { isDirect } from "../origin.ts";
import { freshness, type WorkflowParts } from "../ports.ts";
import { isErased } from "../stored-request.ts";

const hidden: Health = {
  kind: "not-yet",
  level: "busy",
  outcome: "how it runs isn't shown here any more",
  line: "",
  excerpt: [],
};

/**
 * A Change as it may be shown in a place by now. What Gantry saw of its workloads is left out where policy hides them from its requester,
 * or when its account is gone, and so is what others changed; its log lines also where they may not read the log. `isHidden`: something is.
 * Undefined when Slack can't say who they are.
 */
export async function seenThere(
  deps: WorkflowParts,
  change: StoredChange,
  place: string,
): Promise<{ readonly change: StoredChange; readonly isHidden: boolean } | undefined> {
  if (!partsOf(change).some(saysMore)) return { change, isHidden: false };
  const rights = await rightsOf(deps, change, place);
  if (rights === "unknown") return undefined;
  let isHidden = false;
  let isCut = false;
  const shownOf = async (part: StoredChange): Promise<StoredChange> => {
    if (!saysMore(part)) return part;
    const { workload } = part;
    const seen = seenOf(part);
    const isSeen = rights !== undefined && (await maySee(workload, rights));
    isHidden ||= !isSeen;
    const hasLines = seen !== undefined && seen.excerpt.length > 0;
    if (isSeen && (!hasLines || (await mayReadLog(workload, rights)))) return part;
    isCut = true;
    const shown = seen && (isSeen ? { ...seen, excerpt: [] } : isAsRequested(seen) ? seen : hidden);
    const cut = part.health === undefined ? { ...part, progress: shown } : { ...part, health: shown };
    return isSeen ? cut : { ...cut, ending: ownEnding(part), wayBackEnd: undefined };
  };
  const { parts } = change;
  const shown =
    parts === undefined ? await shownOf(change) : { ...change, parts: await Promise.all(parts.map(shownOf)) };
  if (isCut && rights?.away() !== undefined) return undefined;
  return { change: shown, isHidden };
}

function saysMore(part: StoredChange): boolean {
  return !isAsRequested(seenOf(part)) || isLateHealth(part) || ownEnding(part) !== part.ending;
}

/** That all went as requested is the outcome of the request. */
function isAsRequested(seen: Health | undefined): boolean {
  return seen === undefined || (seen.kind === "reached" && seen.recovered !== true);
}

/** Without what others changed. */
function ownEnding({ ending }: StoredChange): Ending | undefined {
  if (ending?.kind === "drifted" && ending.drift.length > 0) return { ...ending, drift: [] };
  if (ending?.kind !== "run" || ending.outcome.kind !== "done" || ending.outcome.alsoMoved.length === 0) return ending;
  return { ...ending, outcome: { ...ending.outcome, alsoMoved: [] } };
}

export type Named = {
  readonly teamId: string;
  /** Who named them. */
  readonly userId: string;
  /** A username; undefined in what an earlier version stored. */
  readonly account: string | undefined;
  readonly targets: readonly Typed[];
};

/**
 * Whether policy lets a place be told these names, as somebody typed them. It takes nothing else: that they left or that their account is
 * gone is told with the name. Undefined when Slack can't say who they are.
 */
export async function mayBeNamed(deps: WorkflowParts, named: Named, place: string): Promise<boolean | undefined> {
  const { teamId, userId, account, targets } = named;
  try {
    const profile = await deps.people.profile(userId, freshness.profile);
    // Policy allows nothing to somebody who is deactivated, and Slack no longer says whether they were a guest: they count as a member.
    const who = profile.standing === "deactivated" ? ({ ...profile, standing: "member" } as const) : profile; // a literal
    const as = { profile: who, account: account === undefined ? undefined : { username: account } };
    const rights = await rightsThere(deps, { ...as, teamId }, place);
    if (await mayName(targets, rights)) return true;
    return rights.away() === undefined ? false : undefined;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error instanceof SlackAway ? undefined : false;
  }
}

type Viewer = Pick<Parameters<typeof permissionsFor>[1], "profile" | "account"> & { readonly teamId: string };

/** `away`: set once Slack couldn't say who is in a group, so that what they don't allow isn't forbidden yet. */
async function rightsThere(deps: WorkflowParts, { profile, account, teamId }: Viewer, place: string) {
  const binding = isDirect(place) ? undefined : await deps.store.bindingOf(teamId, place);
  const { people, away } = watchGroups(deps.people);
  const permissions = permissionsFor({ ...deps, people }, { profile, channelId: place, account, binding });
  return { permissions, settings: deps.settings, away };
}

/** Those of its requester; undefined without its account, or of somebody who is gone. */
async function rightsOf(deps: WorkflowParts, change: StoredChange, place: string) {
  const { account, channelId, requester, teamId } = change;
  if (isErased(change)) return undefined;
  try {
    // Only people in a channel may use its account.
    const isOfChannel = account.owner.kind === "channel" && isDirect(place);
    if (isOfChannel && (await hasLeft(deps.people, channelId, requester.userId))) return undefined;
    await deps.accounts.reopen(account, { teamId, userId: requester.userId, channelId });
    // Slack tells when somebody is deactivated, so a card needs no call.
    const profile = await deps.people.profile(requester.userId, freshness.profile, requester.name);
    if (profile.standing === "deactivated") return undefined;
    return await rightsThere(deps, { profile, account, teamId }, place);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error instanceof SlackAway ? "unknown" : undefined;
  }
}

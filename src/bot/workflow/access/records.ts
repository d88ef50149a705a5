import { type Card, type StoredChange, partsOf } from "../../changes/stored-change.ts";
import { UserError, StoreError } from "../../errors.ts";
import type { DecisionAnswer } from "../../views/messages/decision-answer.ts";
import { changeEvent, recordEvent } from "../history.ts";
import type { Mute } from "../../watch/watch.ts";
import { isDirect, type Origin } from "../origin.ts";
import { permissionsFor } from "./permissions.ts";
import { freshness, type WorkflowParts, type People } from "../ports.ts";
import type { Profile } from "../stored.ts";
import { nearNames } from "../../policy/near-names.ts";
import type { HistoryEvent, HistoryQuery } from "../../changes/history-event.ts";
import { seenOf } from "../../views/kit/health.ts";
import type { HistoryRows, Permissions, Records, Undoable, Watches } from "../../commands/command.ts";
import { maySee } from "../../commands/lookup/may-see.ts";
import { cardChannel, eligibility } from "./approvers.ts";
import { contentOf, undoRequest } from "../stored-request.ts";

type Named = {
  readonly changeId: string;
  /** The message whose button was clicked; none for words. */
  readonly card?: Card | undefined;
  /** By a button, not in words. */
  readonly isClicked?: boolean | undefined;
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
export async function findVisibleChange(
  deps: WorkflowParts,
  { changeId, card, isClicked = false, origin }: Named,
): Promise<Known> {
  const found = await deps.store.find({ id: changeId });
  const change = found?.teamId === origin.teamId ? found : undefined;
  const isOnCard = card !== undefined && card.channelId === (change?.card?.channelId ?? card.channelId);
  if (change !== undefined && isOnCard) return { change };
  const viewer = await viewerAt(deps, origin);
  if (change !== undefined && (await maySeeChange(deps, viewer, change))) return { change };
  if (change !== undefined) {
    const { userId, name } = viewer.profile;
    const hidden = { kind: "vote-refused", who: { userId, name }, result: "may not see this change" } as const; // a literal kind
    await recordEvent(deps, changeEvent(deps, { ...change, id: undefined }, hidden));
  }
  const ids = (await recordsFor(deps, viewer).pending()).map(({ id }) => id);
  return { missing: { kind: "missing", id: changeId, nearest: nearNames(changeId, ids), isClicked } };
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
  const permissionsWith = (account: string | undefined): Permissions =>
    permissionsFor(deps, {
      profile,
      channelId,
      account: account === undefined ? here?.account : { username: account },
      binding: here?.binding,
    });
  return { profile, permissionsWith, teamId, channelId };
}

/** The person who reads records. */
export type Viewer = {
  readonly profile: Profile;
  /** With the account of what they read; undefined: with their own. */
  readonly permissionsWith: (account: string | undefined) => Permissions;
  readonly teamId: string;
  readonly channelId: string;
};

/** History rows per read, and the most to scan for one page. */
const BATCH = 500;
const MOST_READ = 20_000;

/** Pending changes and history that this person may see. */
export function recordsFor(deps: WorkflowParts, viewer: Viewer): Records {
  const { store } = deps;
  const { teamId } = viewer;
  const sees = sight(viewer, deps);
  return {
    async pending() {
      const all = await readable(store.pendingChanges(teamId));
      const known = await Promise.all(all.map((change) => mayKnow(deps, viewer, { change, sees, isForList: true })));
      return all.filter((_, at) => known[at]);
    },
    mayDecide: async (change) =>
      change.votes.every(({ userId }) => userId !== viewer.profile.userId) &&
      mayDecide(deps.people, change, { userId: viewer.profile.userId, isForList: true }),
    watches: () => readable(watchesAt(deps, viewer)),
    undoable: (isMeant) => readable(newestUndoable(deps, viewer, isMeant)),
    history: (query) =>
      readable(visibleRows(store, { query: { ...query, teamId }, shows: rowsFor(deps, viewer, sees) })),
  };
}

/** What tells in a channel is no secret to those who are in it. */
async function watchesAt(
  { store }: WorkflowParts,
  { profile: { userId }, teamId, channelId }: Viewer,
): Promise<Watches> {
  const place = isDirect(channelId) ? undefined : channelId;
  const [watches, mutes, lastPolls] = await Promise.all([
    store.watchesOf({ teamId, ownerId: userId, place }),
    store.mutesOf(teamId),
    store.lastPolls(teamId),
  ]);
  const isHere = (at: Mute["place"]): boolean => (at.kind === "dm" ? at.userId === userId : at.channelId === place);
  return { watches, lastPolls, mutes: mutes.filter((each) => isHere(each.place)) };
}

/** Whether a person may see a change of their workspace: their own, one they may decide, or one of a workload they may see. */
export function maySeeChange(deps: WorkflowParts, viewer: Viewer, change: StoredChange): Promise<boolean> {
  return mayKnow(deps, viewer, { change, sees: sight(viewer, deps), isForList: false });
}

/** So many of a person's latest changes are looked at. */
const MOST_UNDOABLE = 20;

/** The newest change that this person requested, that was done, and that can be taken back. */
async function newestUndoable(
  { store, sealer }: WorkflowParts,
  { profile: { userId }, teamId }: Viewer,
  isMeant: (change: StoredChange) => boolean,
): Promise<Undoable | undefined> {
  const events = await store.history({ teamId, userId, show: "ended", limit: MOST_UNDOABLE });
  for (const event of events) {
    const { changeId, request } = event;
    if (changeId === undefined || request?.requester.userId !== userId || request.isUndone) continue;
    if (seenOf(request)?.gone !== undefined) continue;
    // Whole, with all its workloads: a row of history has one of them.
    const change = await store.find({ id: changeId });
    if (change?.state !== "done" || change.isUndone || !isMeant(change)) continue;
    const content = contentOf(sealer, change);
    if (content !== undefined && undoRequest(sealer, change, content) !== undefined) return { change, event };
  }
  return undefined;
}

type Sight = (workload: NonNullable<HistoryEvent["workload"]>, account: string | undefined) => Promise<boolean>;

async function mayKnow(
  { people }: WorkflowParts,
  { profile }: Viewer,
  { change, sees, isForList }: { readonly change: StoredChange; readonly sees: Sight; readonly isForList: boolean },
): Promise<boolean> {
  if (change.requester.userId === profile.userId) return true;
  const seen = await Promise.all(partsOf(change).map(({ workload }) => sees(workload, change.account.username)));
  return seen.every(Boolean) || mayDecide(people, change, { userId: profile.userId, isForList });
}

type Reader = { readonly userId: string; readonly isForList: boolean };

/** The same check as for an approval. Fails closed. */
async function mayDecide(people: People, change: StoredChange, reader: Reader): Promise<boolean> {
  const { terms, requester } = change;
  if (terms === undefined) return false;
  try {
    const { kind } = await eligibility(people, terms, {
      ...reader,
      requesterId: requester.userId,
      channelId: cardChannel(change),
    });
    return kind === "may";
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return false;
  }
}

/** Full members see records of workloads that policy lets them see; checks each workload once. */
function sight({ profile, permissionsWith }: Viewer, { settings }: WorkflowParts): Sight {
  const known = new Map<string, Promise<boolean>>();
  const checked: Sight = async ({ kind, region, name }, account) => {
    // A refused bare name may be of either kind, and its region may be unknown.
    const knownKind = kind === "service" || kind === "job" ? kind : undefined;
    return maySee(
      { kind: knownKind, name, ...(region !== "" && { region }) },
      { permissions: permissionsWith(account), settings },
    );
  };
  return async (workload, account) => {
    if (profile.standing !== "member") return false;
    const key = JSON.stringify([account, workload.kind, workload.region, workload.name]);
    const answer = known.get(key) ?? checked(workload, account);
    known.set(key, answer);
    return answer;
  };
}

type Shows = (event: HistoryEvent) => Promise<boolean>;

/** Every full member sees rows without a workload. People always see rows of their own requests. */
function rowsFor({ store }: WorkflowParts, { profile }: Viewer, sees: Sight): Shows {
  const own = new Map<string, Promise<boolean>>();
  const isOwn = async (id: string): Promise<boolean> => (await store.find({ id }))?.requester.userId === profile.userId;
  return async ({ who, workload, account, changeId }) => {
    if (who?.userId === profile.userId) return true;
    if (workload === undefined ? profile.standing === "member" : await sees(workload, account)) return true;
    if (changeId === undefined) return false;
    const answer = own.get(changeId) ?? isOwn(changeId);
    own.set(changeId, answer);
    return answer;
  };
}

type Wanted = { readonly query: HistoryQuery; readonly shows: Shows };

/** Reads until the page is full: a shorter page would reveal how many rows are hidden. */
async function visibleRows(store: WorkflowParts["store"], { query, shows }: Wanted): Promise<HistoryRows> {
  const { limit } = query;
  const events: HistoryEvent[] = [];
  let before = query.before;
  let size = limit + 1;
  for (let read = 0; read < MOST_READ; read += size) {
    if (read > 0) size = BATCH;
    const batch = await store.history({ ...query, limit: size, ...(before !== undefined && { before }) });
    for (const event of batch) {
      if (!(await shows(event))) continue;
      if (events.length === limit) return { events, older: events.at(-1)?.seq };
      events.push(event);
    }
    before = batch.at(-1)?.seq;
    if (batch.length < size || before === undefined) return { events, older: undefined };
  }
  return { events, older: before };
}

async function readable<Value>(reading: Promise<Value>): Promise<Value> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new UserError("Couldn't read requests and history: the database can't be reached.", {
      cause: error,
      next: "Try again in a minute. If this keeps happening, contact your Gantry admin.",
    });
  }
}

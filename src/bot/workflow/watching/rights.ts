import { mayReadLog, maySee, readRefusal } from "../../commands/lookup/may-see.ts";
import { regionOf } from "../../commands/grammar/argument-types.ts";
import { termsText } from "../../commands/verbs/watch/watch-message.ts";
import type { NewHistoryEvent } from "../../changes/history-event.ts";
import { SlackAway, UserError } from "../../errors.ts";
import { placeOf } from "../../watch/due.ts";
import type { Incident, NoticedEvent } from "../../watch/incident.ts";
import type { Watch } from "../../watch/watch.ts";
import { hasLeft } from "../access/approvers.ts";
import { watchGroups } from "../access/clear-to-run.ts";
import { permissionsFor } from "../access/permissions.ts";
import { eventAbout, logEvent, originEvent } from "../history.ts";
import type { Due } from "../due-kinds.ts";
import { type DueEnd, LeaseLost } from "../due.ts";
import { freshness, type WorkflowParts } from "../ports.ts";

/** Whether the owner of a watch may still get messages in its place. */
export type WatchRights =
  | {
      readonly kind: "may";
      /** Whether they may see this workload there, and watch it. */
      readonly sees: (workload: Watched) => Promise<boolean>;
      /** Whether they may read its log there. */
      readonly readsLog: (workload: Watched) => Promise<boolean>;
    }
  /** For good: `why` completes "Dana no longer watches web: …". */
  | { readonly kind: "lost"; readonly why: string }
  /** Slack can't say right now: nothing is sent, and no watch ends. */
  | { readonly kind: "unknown" };

type Watched = { readonly kind: "service" | "job"; readonly region: string; readonly name: string };

/** Asks Slack, the accounts and policy again: people leave, rules change and accounts are disconnected. Throws a `StoreError`. */
export async function watchRights(deps: WorkflowParts, watch: Watch): Promise<WatchRights> {
  try {
    return await rightsNow(deps, watch);
  } catch (error) {
    if (error instanceof UserError) return { kind: "unknown" };
    throw error;
  }
}

async function rightsNow(deps: WorkflowParts, watch: Watch): Promise<WatchRights> {
  const { settings, store } = deps;
  const { owner, teamId, target, place } = watch;
  const channelId = placeOf(watch);
  const profile = await deps.people.profile(owner.userId, freshness.reading, owner.name);
  if (profile.standing === "deactivated" || profile.standing === "bot") {
    return { kind: "lost", why: "their Slack account is deactivated" };
  }
  if (place.kind === "channel" && (await hasLeft(deps.people, channelId, owner.userId))) {
    return { kind: "lost", why: "they left the channel" };
  }
  const binding = place.kind === "dm" ? undefined : await store.bindingOf(teamId, channelId);
  const { account } = watch;
  // As for a followed log, and for clicks in what the watch tells.
  if (binding?.account !== undefined && binding.account !== account.username) {
    return { kind: "lost", why: `the channel uses the account ${binding.account} now` };
  }
  const lost = await lostAccount(deps, watch, channelId);
  if (lost !== undefined) return lost;
  const groups = watchGroups(deps.people);
  const permissions = permissionsFor({ ...deps, people: groups.people }, { profile, channelId, account, binding });
  const mayWatch = async (kind: Watch["target"]["kind"], region: string, name: string): Promise<boolean> => {
    const workload = { kind, region: regionOf(kind, region, settings), name };
    return readRefusal(await permissions.verdict({ op: "watch", risk: undefined, workload })) === undefined;
  };
  if (!(await mayWatch(target.kind, target.region, target.names))) {
    // What Slack doesn't say about a group ends nothing.
    if (groups.away() !== undefined) return { kind: "unknown" };
    return { kind: "lost", why: "policy no longer allows it here" };
  }
  return {
    kind: "may",
    sees: async (workload) =>
      (await mayWatch(workload.kind, workload.region, workload.name)) && maySee(workload, { permissions, settings }),
    readsLog: (workload) => mayReadLog(workload, { permissions }),
  };
}

/** Whether the owner of a watch may see something in its place. */
export type Sight = (watch: Watch, subject: Incident | NoticedEvent) => Promise<boolean | "unknown">;

/** Asks once for each watch. With `endsLost`, a watch ends when its owner has lost the permission. */
export function sightOf(deps: WorkflowParts, { endsLost }: { readonly endsLost: boolean }): Sight {
  const known = new Map<string, Promise<WatchRights>>();
  const rightsOf = async (watch: Watch): Promise<WatchRights> => {
    const rights = await watchRights(deps, watch);
    if (rights.kind === "lost" && endsLost) await endWatch(deps, watch, rights.why);
    return rights;
  };
  return async (watch, { kind, region, name }) => {
    const asked = known.get(watch.id) ?? rightsOf(watch);
    known.set(watch.id, asked);
    const rights = await asked;
    if (rights.kind === "unknown") return "unknown";
    // That the workload API doesn't answer is about all of them.
    return rights.kind === "may" && (name === undefined || rights.sees({ kind, region, name }));
  };
}

async function lostAccount(
  { accounts }: WorkflowParts,
  { account, owner, teamId }: Watch,
  channelId: string,
): Promise<WatchRights | undefined> {
  try {
    await accounts.reopen(account, { teamId, userId: owner.userId, channelId });
    return undefined;
  } catch (error) {
    if (!(error instanceof UserError) || error instanceof SlackAway) throw error;
    return { kind: "lost", why: `the account ${account.username} was changed or disconnected` };
  }
}

/**
 * Ends a watch, once over all replicas, with a message in its place. A watch of the file is paused, because the file would add it
 * again. Throws a `StoreError`.
 */
export async function endWatch(deps: WorkflowParts, watch: Watch, why: string): Promise<void> {
  const { id, teamId } = watch;
  const event = ownEvent(deps, watch, { kind: "unwatched", result: why });
  if (await deps.store.loseWatch({ id, teamId }, { why, event })) logEvent(deps, event);
}

/** Resumes a paused watch, with a message in its place. Throws a `StoreError`. */
async function resumeWatch(deps: WorkflowParts, watch: Watch): Promise<void> {
  const { id, teamId } = watch;
  const event = ownEvent(deps, watch, { kind: "watched", result: termsText(watch) });
  if (await deps.store.resumeWatch({ id, teamId }, event)) logEvent(deps, event);
}

/** Nobody did it. */
function ownEvent(
  { settings }: WorkflowParts,
  watch: Watch,
  { kind, result }: Pick<NewHistoryEvent, "kind" | "result">,
): NewHistoryEvent {
  const { owner, teamId, account } = watch;
  const origin = { userId: owner.userId, teamId, channelId: placeOf(watch) };
  const about = { kind, verb: "watch", account: account.username, ...eventAbout(watch.target, settings, result) };
  return { ...originEvent(origin, owner, about), who: undefined };
}

/** From time to time, ends watches whose owners have lost their permission, and resumes those who have it again. */
export async function checkRights(deps: WorkflowParts, due: Due): Promise<DueEnd> {
  for (const watch of await deps.store.allWatches(due.teamId)) {
    const rights = await watchRights(deps, watch);
    if (rights.kind === "lost") await endWatch(deps, watch, rights.why);
    if (rights.kind === "may" && watch.pausedWhy !== undefined) await resumeWatch(deps, watch);
    // Slack may be asked about many people.
    if (!(await deps.store.holdDue(due))) throw new LeaseLost();
  }
  return "done";
}

import { failingLines, type LogReading, readWorkload } from "../../changes/read-workload.ts";
import { Problem } from "../../../api/problem.ts";
import type { HistoryEvent } from "../../changes/history-event.ts";
import { UserError } from "../../errors.ts";
import { incidentCard, lastLinesReply, newsReply } from "../../views/cards/incident-card.ts";
import { messageFor, type Post } from "../../views/kit/post.ts";
import type { Alert } from "../../watch/alert.ts";
import { covers, muteOf, placeOf } from "../../watch/due.ts";
import type { Incident } from "../../watch/incident.ts";
import type { Watch } from "../../watch/watch.ts";
import type { WorkflowParts } from "../ports.ts";
import { seekerOf } from "./notify.ts";
import { watchRights } from "./rights.ts";

/** What an alert shows: its card, and replies for its thread that aren't there yet, by key. */
export type AlertStory = {
  readonly card: Post;
  /** Read only when the card is posted: that one costs a call. */
  readonly replies: () => Promise<readonly { readonly key: string; readonly post: Post }[]>;
};

const HOUR_MS = 60 * 60_000;
const MOST_ROWS = 10;

/** `isAgain`: Slack took, or may have taken, an earlier message of it, which nothing updates. */
export async function alertStory(
  deps: WorkflowParts,
  alert: Alert,
  { isAgain }: { readonly isAgain: boolean },
): Promise<AlertStory> {
  const { settings } = deps;
  const [only, ...others] = alert.incidents;
  const one = others.length === 0 ? only : undefined;
  const history = one === undefined ? [] : await historyOf(deps, one);
  const drawn = incidentCard({ alert, defaultRegion: settings.region, history, isAgain });
  const [account, ...otherAccounts] = new Set(alert.incidents.map((incident) => incident.account));
  const card = account === undefined ? drawn : otherAccounts.length === 0 ? messageFor(account, drawn) : drawn;
  return { card, replies: () => repliesFor(deps, alert, one) };
}

/** Requests about the workload since an hour before it failed, newest first. */
async function historyOf({ store }: WorkflowParts, incident: Incident): Promise<readonly HistoryEvent[]> {
  const { teamId, account, name, kind, region, openedAt, overAt } = incident;
  if (name === undefined) return [];
  const since = new Date(openedAt.getTime() - HOUR_MS);
  const rows = await store.history({ teamId, workload: { name, account }, show: "ended", since, limit: MOST_ROWS });
  return rows.filter(
    ({ workload, at }) =>
      workload?.kind === kind && workload.region === region && (overAt === undefined || at <= overAt),
  );
}

async function repliesFor(
  deps: WorkflowParts,
  alert: Alert,
  one: Incident | undefined,
): Promise<readonly { readonly key: string; readonly post: Post }[]> {
  const { incidents, told } = alert;
  if (incidents.length === 0) return [];
  const replies: { readonly key: string; readonly post: Post }[] = [];
  const add = (key: string, post: Post | undefined): void => {
    if (post !== undefined && !told.includes(key)) replies.push({ key, post });
  };
  const watches = await watchesOf(deps, alert);
  if (one?.name !== undefined && one.overAt === undefined && !told.includes("lines")) {
    add("lines", lastLinesReply(one.name, await lastLines(deps, { alert, incident: one, watches })));
  }
  const isMuted = await allMuted(deps, alert);
  const isFirst = told.length === 0;
  const times = incidents.reduce((sum, each) => sum + each.times, 0);
  if (incidents.every(({ overAt }) => overAt !== undefined)) {
    // A card that was posted when it was over says so itself.
    const isWanted = watches.some(({ events }) => events.includes("recovered"));
    if (!isFirst && isWanted && !isMuted) add(`over ${times}`, newsReply(incidents, "over"));
  } else if (one !== undefined && one.times > 1 && told.some((key) => /^(?:unsure )?over\b/u.test(key)) && !isMuted) {
    add(`again ${times}`, newsReply(incidents, "again"));
  }
  return replies;
}

/** Watches that tell there of any of its incidents. */
async function watchesOf({ store, settings }: WorkflowParts, alert: Alert): Promise<readonly Watch[]> {
  const { teamId, place, incidents } = alert;
  const all = await store.watchesOf({ teamId, ownerId: place, place });
  return all.filter(
    (watch) => placeOf(watch) === place && incidents.some((incident) => covers(watch, incident, settings.jobsRegion)),
  );
}

async function allMuted({ store, clock }: WorkflowParts, { teamId, place, incidents }: Alert): Promise<boolean> {
  const mutes = (await store.mutesOf(teamId)).filter(
    (mute) => (mute.place.kind === "dm" ? mute.place.userId : mute.place.channelId) === place,
  );
  const now = clock.now();
  return incidents.every(({ name }) => (muteOf(mutes, name)?.until ?? now) > now);
}

type Lines = { readonly alert: Alert; readonly incident: Incident; readonly watches: readonly Watch[] };

const WITHIN_MS = 8_000;

/** The last lines of its log, redacted, if an owner of a watch may read it there; none when it can't be read. */
async function lastLines(deps: WorkflowParts, { alert, incident, watches }: Lines): Promise<readonly string[]> {
  const { kind, region, name } = incident;
  if (name === undefined) return [];
  const workload = { kind, region, name };
  const signal = deps.clock.limit(WITHIN_MS);
  for (const watch of watches) {
    try {
      const rights = await watchRights(deps, watch);
      if (rights.kind !== "may" || !(await rights.readsLog(workload))) continue;
      const account = await deps.accounts.reopen(watch.account, seekerOf(watch));
      const api = deps.api.as(account);
      const instance = kind === "job" ? await lastInstance(workload, { api, signal }) : undefined;
      const secrets = deps.envValues.values(account.username, workload);
      return await failingLines(
        { ...workload, uid: undefined },
        { instance, sentence: incident.seen?.reason },
        {
          api,
          signal,
          clock: deps.clock,
          logZone: deps.settings.logZone,
          redact: (lines) => deps.logs.redact({ lines, secrets }, { who: `alert ${alert.id}`, signal }),
        },
      );
    } catch (error) {
      // Without them the card says what is known.
      if (!(error instanceof UserError) && !signal.aborted) throw error;
    }
  }
  return [];
}

async function lastInstance(
  workload: { readonly kind: "service" | "job"; readonly region: string; readonly name: string },
  reading: Pick<LogReading, "api" | "signal">,
): Promise<string | undefined> {
  const read = await readWorkload({ ...workload, uid: undefined }, reading);
  return read instanceof Problem ? undefined : read.job?.instance_names?.at(-1);
}

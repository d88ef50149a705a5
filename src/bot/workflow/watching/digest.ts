import { z } from "zod";
import type { HistoryEvent, HistoryEventKind } from "../../changes/history-event.ts";
import { partsOf } from "../../changes/stored-change.ts";
import { needsAttention } from "../../commands/verbs/list/workload-list.ts";
import { digestMessage } from "../../commands/verbs/watch/digest-message.ts";
import { UserError } from "../../errors.ts";
import { matchesPattern } from "../../policy/patterns.ts";
import { muteOf, nextDigest, placeOf, placeOfMute, previousDigest } from "../../watch/due.ts";
import type { DigestTime, Watch } from "../../watch/watch.ts";
import { contextFor } from "../access/context.ts";
import { liveWorkloads } from "../live-workloads.ts";
import { type Due, type DueEnd, renew } from "../due.ts";
import type { WorkflowParts } from "../ports.ts";
import { endWatch, watchRights } from "./rights.ts";

/** Slack or the workload API doesn't answer now. */
const AGAIN_MS = 60_000;
/** How long the workload API may take: nobody waits. */
const LIST_WITHIN_MS = 20_000;
const FRESH_MS = 60_000;

/** When it is to be posted. A new digest has none: its first attempt sets it. */
const DueDigest = z.object({ dueAt: z.iso.datetime(), isMaybePosted: z.boolean().optional() });

function payloadOf(dueAt: Date, isMaybePosted = false): string {
  return JSON.stringify({ dueAt: dueAt.toISOString(), isMaybePosted } satisfies z.infer<typeof DueDigest>);
}

/**
 * Posts a digest, and schedules the next one when Slack has taken it. A retry knows whether there may be a message already. Rejects
 * when the database doesn't answer.
 */
export async function tellDigest(deps: WorkflowParts, due: Due, signal: AbortSignal): Promise<DueEnd> {
  const { store, responder } = deps;
  const watch = await store.findWatch({ id: due.key, teamId: due.teamId });
  // Whoever adds or resumes the watch schedules it again.
  if (watch?.digest === undefined || watch.pausedWhy !== undefined) return "done";
  const { digest, owner } = watch;
  const now = deps.clock.now();
  const next = nextDigest(digest, now);
  const end: DueEnd = { at: next, payload: payloadOf(next) };
  if (due.payload === undefined) return end;
  const { dueAt: iso, isMaybePosted = false } = DueDigest.parse(JSON.parse(due.payload));
  const dueAt = new Date(iso);
  const rights = await watchRights(deps, watch);
  if (rights.kind === "lost") {
    await endWatch(deps, watch, rights.why);
    return "done";
  }
  if (rights.kind === "unknown") return { ms: AGAIN_MS, isFailure: true };
  const since = previousDigest(digest, dueAt);
  const telling = { watch, digest, since, sees: rights.sees, now, isAgain: isMaybePosted };
  const message = await messageFor(deps, telling, signal);
  if (message === undefined) return end;
  for (const place of new Set([placeOf(watch), owner.userId])) {
    await renew(store, due, payloadOf(dueAt, true));
    const attempt = await responder.postOnce(place, message);
    if (attempt.kind === "later") {
      const { ms = AGAIN_MS, isUnsure } = attempt;
      return { ms: Math.max(ms, AGAIN_MS), payload: payloadOf(dueAt, isMaybePosted || isUnsure), isFailure: true };
    }
    if (attempt.kind === "posted") return end;
    // Where the bot can't post, whoever watches gets it.
  }
  return end;
}

type Telling = {
  readonly watch: Watch;
  readonly digest: DigestTime;
  readonly since: Date;
  readonly sees: (workload: { kind: "service" | "job"; region: string; name: string }) => Promise<boolean>;
  readonly now: Date;
  /** Slack may have taken it before. */
  readonly isAgain: boolean;
};

async function messageFor(deps: WorkflowParts, { watch, since, sees, now, isAgain }: Telling, signal: AbortSignal) {
  const { target, owner, teamId } = watch;
  const place = placeOf(watch);
  const mutes = (await deps.store.mutesOf(teamId)).filter((mute) => placeOfMute(mute) === place);
  const isMeant = ({ kind, name }: { readonly kind: string; readonly name: string }): boolean =>
    (target.kind === undefined || target.kind === kind) &&
    matchesPattern(target.names, name) &&
    muteOf(mutes, name) === undefined;
  const origin = { userId: owner.userId, teamId, channelId: placeOf(watch) };
  const common = { target, now, defaultRegion: deps.settings.region, isAgain };
  try {
    const context = await contextFor(deps, { origin, effect: "read" }, signal);
    const where = { region: target.region, freshMs: FRESH_MS, withinMs: LIST_WITHIN_MS };
    const [live, history, pending] = await Promise.all([
      liveWorkloads(deps, context, { of: target.kind ?? "any", ...where }),
      context.records.history({ since, show: "outcomes", limit: 200 }),
      context.records.pending(),
    ]);
    const { jobsRegion } = deps.settings;
    const listed = (["service", "job"] as const) // the kinds of workloads
      .flatMap((kind) => (live[`${kind}s`]?.entries ?? []).map((entry) => ({ ...entry, kind })));
    const unwell = [];
    for (const { kind, name, health } of listed) {
      if (health === undefined || !needsAttention(health) || !isMeant({ kind, name })) continue;
      const region = kind === "job" ? jobsRegion : target.region;
      if (await sees({ kind, region, name })) unwell.push({ kind, name, health });
    }
    const changes = history.events.filter(
      ({ kind, workload, account }) =>
        changeKinds.has(kind) && workload !== undefined && account === context.account.username && isMeant(workload),
    );
    const waiting = pending.filter(
      (change) =>
        change.account.username === context.account.username &&
        partsOf(change).some(({ workload }) => isMeant(workload)),
    );
    return digestMessage({ ...common, unwell, changes, waiting, problems: live.problems });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return digestMessage({ ...common, unwell: [], changes: [], waiting: [], problems: [error.message] });
  }
}

const changeKinds: ReadonlySet<HistoryEventKind> = new Set<HistoryEvent["kind"]>(["done", "failed", "unknown"]);

import { z } from "zod";
import type { HistoryEvent, HistoryEventKind } from "../../changes/history-event.ts";
import { partsOf } from "../../changes/stored-change.ts";
import { needsAttention } from "../../commands/verbs/list/workload-list.ts";
import { type Digest, digestMessage } from "../../commands/verbs/watch/digest-message.ts";
import { UserError } from "../../errors.ts";
import { matchesPattern } from "../../policy/patterns.ts";
import type { Post } from "../../views/kit/post.ts";
import { muteOf, nextDigest, placeOf, placeOfMute, previousDigest } from "../../watch/due.ts";
import type { Watch } from "../../watch/watch.ts";
import type { Context } from "../../commands/command.ts";
import { contextFor } from "../access/context.ts";
import { type Live as LiveWorkloads, liveWorkloads } from "../access/live-workloads.ts";
import type { Due } from "../due-kinds.ts";
import type { DueEnd } from "../due.ts";
import type { PostKind } from "../posts.ts";
import { over } from "../post/announcement.ts";
import type { WorkflowParts } from "../ports.ts";
import { seekerOf } from "./notify.ts";
import { endWatch, watchRights } from "./rights.ts";

/** How long the workload API may take: nobody waits. */
const LIST_WITHIN_MS = 20_000;
const FRESH_MS = 60_000;

/** When it is to be posted. A new digest has none: its first attempt sets it. */
const DueDigest = z.object({
  dueAt: z.iso.datetime(),
  /** Of an earlier version: Slack may have taken it. */
  isMaybePosted: z.boolean().optional(),
});

function payloadOf(dueAt: Date): string {
  return JSON.stringify({ dueAt: dueAt.toISOString() } satisfies z.infer<typeof DueDigest>);
}

/** Schedules the message of a digest that is due, and the next digest. */
export async function tellDigest({ store, clock }: WorkflowParts, due: Due): Promise<DueEnd> {
  const { key, teamId, payload } = due;
  const watch = await store.findWatch({ id: key, teamId });
  // Whoever adds or resumes the watch schedules it again.
  if (watch?.digest === undefined || watch.pausedWhy !== undefined) return "done";
  const { dueAt, isMaybePosted } = payload === undefined ? {} : DueDigest.parse(JSON.parse(payload));
  // This machine's clock may be behind the database's, by which it is due.
  const now = Math.max(clock.now().getTime(), dueAt === undefined ? 0 : Date.parse(dueAt));
  const next = nextDigest(watch.digest, new Date(now));
  const end = { at: next, payload: payloadOf(next) };
  if (dueAt === undefined) return end;
  const post = { kind: "digest", key: `${key} ${dueAt}`, payload: JSON.stringify({ watch: key, dueAt }) } as const; // a literal kind
  const to = { teamId, place: placeOf(watch), fallback: watch.owner.userId, posts: isMaybePosted === true ? 1 : 0 };
  await store.postDue(due, { ...post, ...to }, end);
  return "ended";
}

const PostedDigest = DueDigest.extend({ watch: z.string() });

/** One day of a digest, as its watch and its owner's rights are when it is posted. */
export function digestPost(deps: WorkflowParts, signal: AbortSignal): PostKind {
  let live: Live | undefined;
  return async ({ payload, teamId, insteadOf }) => {
    if (payload === undefined) return over;
    const { watch: id, dueAt: iso } = PostedDigest.parse(JSON.parse(payload));
    const dueAt = new Date(iso);
    const stored = await deps.store.findWatch({ id, teamId });
    if (stored?.digest === undefined || stored.pausedWhy !== undefined) return over;
    const { digest: times } = stored;
    // The next one has been posted, or is.
    if (nextDigest(times, dueAt) <= deps.clock.now()) return over;
    const watch: Watch = insteadOf === undefined ? stored : { ...stored, place: { kind: "dm" } };
    const rights = await watchRights(deps, watch);
    if (rights.kind === "unknown") return rights;
    if (rights.kind === "lost") {
      if (insteadOf === undefined) await endWatch(deps, watch, rights.why);
      return over;
    }
    const { sees } = rights;
    if (live === undefined) {
      return { kind: "unread", gather: async () => void (live = await readLists(deps, watch, signal)) };
    }
    const digest = await digestOf(deps, { watch, since: previousDigest(times, dueAt), sees, live }, signal);
    const card = (isAgain: boolean): Post | undefined => digestMessage({ ...digest, isAgain });
    const [first, again] = [card(false), card(true)];
    if (first === undefined || again === undefined) return over;
    return { kind: "shown", card: ({ isAgain }) => Promise.resolve(isAgain ? again : first) };
  };
}

type Live = Pick<LiveWorkloads, "services" | "jobs" | "problems">;

/** As its owner sees them there. */
async function readLists(deps: WorkflowParts, watch: Watch, signal: AbortSignal): Promise<Live> {
  const { target } = watch;
  try {
    const where = { region: target.region, freshMs: FRESH_MS, withinMs: LIST_WITHIN_MS };
    const context = await contextOf(deps, watch, signal);
    return await liveWorkloads(deps, context, { of: target.kind ?? "any", ...where });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { services: undefined, jobs: undefined, problems: [error.message] };
  }
}

/** With the account of the watch, whichever its owner would read with here by now. */
function contextOf(deps: WorkflowParts, watch: Watch, signal: AbortSignal): Promise<Context> {
  const { teamId, userId, channelId } = seekerOf(watch);
  return contextFor(
    deps,
    { origin: { teamId, userId, channelId, account: watch.account.username }, effect: "read" },
    signal,
  );
}

type Telling = {
  readonly watch: Watch;
  readonly since: Date;
  readonly sees: (workload: { kind: "service" | "job"; region: string; name: string }) => Promise<boolean>;
  readonly live: Live;
};

async function digestOf(
  deps: WorkflowParts,
  { watch, since, sees, live }: Telling,
  signal: AbortSignal,
): Promise<Omit<Digest, "isAgain">> {
  const { target, teamId } = watch;
  const place = placeOf(watch);
  const now = deps.clock.now();
  const mutes = (await deps.store.mutesOf(teamId)).filter((mute) => placeOfMute(mute) === place);
  const isMeant = ({ kind, name }: { readonly kind: string; readonly name: string }): boolean =>
    (target.kind === undefined || target.kind === kind) &&
    matchesPattern(target.names, name) &&
    muteOf(mutes, name) === undefined;
  const account = watch.account.username;
  const common = { target, now, defaultRegion: deps.settings.region };
  try {
    const { records } = await contextOf(deps, watch, signal);
    const [history, pending] = await Promise.all([
      records.history({ since, show: "outcomes", limit: 200 }),
      records.pending(),
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
    // Their requester sees more of them elsewhere.
    const changes = [];
    for (const event of history.events) {
      const { kind, workload } = event;
      if (!changeKinds.has(kind) || workload === undefined || event.account !== account || !isMeant(workload)) continue;
      if (isKnownKind(workload) && (await sees(workload))) changes.push(event);
    }
    const waiting = [];
    for (const change of pending) {
      const parts = partsOf(change).map(({ workload }) => workload);
      if (change.account.username !== account || !parts.some(isMeant)) continue;
      if ((await Promise.all(parts.map(sees))).every(Boolean)) waiting.push(change);
    }
    return { ...common, unwell, changes, waiting, problems: live.problems };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { ...common, unwell: [], changes: [], waiting: [], problems: [error.message] };
  }
}

/** A refused bare name may be of either kind. */
function isKnownKind<Named extends { readonly kind: string }>(
  workload: Named,
): workload is Named & { readonly kind: "service" | "job" } {
  return workload.kind === "service" || workload.kind === "job";
}

const changeKinds: ReadonlySet<HistoryEventKind> = new Set<HistoryEvent["kind"]>(["done", "failed", "unknown"]);

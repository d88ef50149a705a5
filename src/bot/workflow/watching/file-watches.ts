import { createHash } from "node:crypto";
import type { Logger } from "pino";
import type { Clock } from "../../../platform/clock.ts";
import type { FileWatch } from "../../commands/verbs/watch/watches-file.ts";
import { SlackAway, UserError } from "../../errors.ts";
import { placeOf } from "../../watch/due.ts";
import type { Watch } from "../../watch/watch.ts";
import { freshness, type WorkflowParts } from "../ports.ts";
import type { NewWatch } from "../stored.ts";

export type FileWatchParts = {
  /** Another list whenever the file has changed. */
  readonly current: () => readonly FileWatch[];
  readonly store: { readonly allWatches: () => Promise<readonly Watch[]> };
  readonly workspaceOf: (teamId: string) => Promise<WorkflowParts>;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
};

/** Accounts are connected and people renamed meanwhile. */
const AGAIN_AFTER_MS = 10 * 60_000;

/**
 * Syncs the stored watches with the file, when it has changed and from time to time. Idempotent, because every replica does it.
 * Rejects when the database doesn't answer.
 */
export function createFileWatches({ current, store, workspaceOf, clock, log }: FileWatchParts): () => Promise<void> {
  let done: readonly FileWatch[] | undefined;
  let doneAt = 0;
  return async () => {
    const watches = current();
    if (watches === done && clock.now().getTime() - doneAt < AGAIN_AFTER_MS) return;
    const stored = (await store.allWatches()).filter(({ source }) => source === "file");
    const named = watches.map(({ teamId }) => teamId ?? "");
    let isComplete = true;
    for (const teamId of new Set([...named, ...stored.map((watch) => watch.teamId)])) {
      const deps = await workspaceOf(teamId);
      // Before Slack has said which workspace it is, there is none to watch for.
      const known = teamId === "" ? deps.people.bot().teamId : teamId;
      const own = watches.filter((watch) => (watch.teamId ?? known) === known);
      const before = stored.filter((watch) => watch.teamId === known);
      isComplete = known !== undefined && (await takeOver(deps, known, { own, before }, log)) && isComplete;
    }
    if (!isComplete) return;
    done = watches;
    doneAt = clock.now().getTime();
  };
}

/** False: Slack can't say who the owners are, and everything stays as it is. */
async function takeOver(
  deps: WorkflowParts,
  teamId: string,
  { own, before }: { readonly own: readonly FileWatch[]; readonly before: readonly Watch[] },
  log: Logger,
): Promise<boolean> {
  const wanted: NewWatch[] = [];
  for (const watch of own) {
    try {
      // Its account stays, or it ends with a sentence: its owner may have connected another one for themselves.
      const stored = before.find((each) => each.pausedWhy === undefined && isOf(watch, each));
      wanted.push(await storable(deps, teamId, watch, stored?.account.username));
    } catch (error) {
      if (error instanceof SlackAway) return false;
      if (!(error instanceof UserError)) throw error;
      log.error({ line: watch.line, owner: watch.ownerId, why: error.message }, "a watch of the file can't be used");
      // Keep the stored watch: one that ends needs a message in its place.
      wanted.push(...before.filter((stored) => isOf(watch, stored)));
    }
  }
  await deps.store.setFileWatches(teamId, wanted);
  return true;
}

function isOf({ ownerId, place, target, digest }: FileWatch, stored: Watch): boolean {
  const placeId = place.kind === "dm" ? ownerId : place.channelId;
  return (
    stored.owner.userId === ownerId &&
    placeOf(stored) === placeId &&
    stored.target.kind === target.kind &&
    stored.target.names === target.names &&
    (stored.digest === undefined) === (digest === undefined)
  );
}

async function storable(
  deps: WorkflowParts,
  teamId: string,
  watch: FileWatch,
  username: string | undefined,
): Promise<NewWatch> {
  const { ownerId: userId, place, target, events, afterMs, quiet, digest } = watch;
  const channelId = place.kind === "dm" ? userId : place.channelId;
  const [profile, { account, binding, region: own }] = await Promise.all([
    deps.people.profile(userId, freshness.profile, userId),
    deps.accounts.resolve({ teamId, userId, channelId, account: username }, "read"),
  ]);
  const zone = watch.zone ?? profile.zone ?? deps.settings.logZone;
  const made = {
    teamId,
    owner: { userId, name: profile.name },
    source: "file",
    account: { owner: account.owner, username: account.username },
    target: { ...target, region: target.region ?? binding?.region ?? own ?? deps.settings.region },
    place,
    events,
    afterMs,
    quiet: quiet && { ...quiet, zone },
    digest: digest && { ...digest, zone },
  } as const; // a literal source
  // Another line of the file is another watch, and every replica finds the same one.
  const id = createHash("sha256").update(JSON.stringify(made)).digest("base64url");
  return { id: `file-${id}`, ...made };
}

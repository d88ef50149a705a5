import { watchHealth } from "../changes/health.ts";
import type { Health, StoredChange } from "../changes/stored-change.ts";
import type { Settings } from "../commands/command.ts";
import { UserError } from "../errors.ts";
import type { LogPool } from "../log-worker/log-pool.ts";
import type { EnvValues } from "./access/env-values.ts";
import { advance, type AdvanceDeps } from "./advance.ts";
import { step } from "./lifecycle.ts";
import type { Cards, Clock } from "./ports.ts";
import { type ApiDeps, apiFor, type OpenDeps, openRequest, type OpenRequest } from "./stored-request.ts";

/** Later, the health of a workload says little about the Change. */
const FOLLOWED_FOR_MS = 5 * 60_000;

export type FollowDeps = AdvanceDeps &
  ApiDeps &
  OpenDeps & {
    readonly cards: Pick<Cards, "draw" | "tellRequester">;
    readonly clock: Clock;
    readonly envValues: Pick<EnvValues, "values">;
    readonly logs: Pick<LogPool, "redact">;
    readonly settings: Pick<Settings, "logZone">;
  };

type Followed = {
  readonly change: StoredChange;
  /** Another process got it done, maybe long ago. */
  readonly isLeftOver: boolean;
  /** The request, if it is open already. */
  readonly opened?: OpenRequest | undefined;
};

const unwatched: Health = { kind: "unwatched", line: "", excerpt: [] };

/**
 * After a success, for half a minute: does the workload run? Ends early when the bot has to stop; another replica then
 * follows it.
 */
export async function follow(deps: FollowDeps, followed: Followed, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { change, isLeftOver } = followed;
  const isOld = isLeftOver && ageMs(deps.clock, change) > FOLLOWED_FOR_MS;
  const health = isOld ? unwatched : await healthAfter(deps, followed, signal);
  if (!signal.aborted) await record(deps, followed, health);
}

/** Trouble is news: it is written to history, and told to the requester where there is no card. */
async function record(deps: FollowDeps, { change, opened }: Followed, health: Health): Promise<void> {
  const bare = step("follow", { health });
  const isNews = health.kind === "trouble";
  const followed = isNews
    ? await advance(deps, change, { ...bare, result: health.line })
    : await deps.store.advance(change.id, bare, undefined);
  if (followed.kind !== "moved") return;
  if (isNews && followed.change.card === undefined) await deps.cards.tellRequester(followed.change);
  await deps.cards.draw(change.id, opened?.content);
}

/** A request that can't be opened any more can't be followed. */
async function healthAfter(deps: FollowDeps, { change, opened }: Followed, signal: AbortSignal): Promise<Health> {
  let request: OpenRequest;
  try {
    request = opened ?? (await openRequest(deps, change));
  } catch (error) {
    if (error instanceof UserError) return unwatched;
    throw error;
  }
  return watchHealth(request.content.change, {
    ...apiFor(deps, request, signal),
    nowMs: () => deps.clock.now().getTime(),
    logZone: deps.settings.logZone,
    redact: (lines) => redacted(deps, { id: change.id, lines, request }, signal),
  });
}

type Lines = {
  /** Of the Change. */
  readonly id: string;
  readonly lines: readonly string[];
  readonly request: OpenRequest;
};

/** Lines that can't be redacted in time, or before the stop, are not shown. */
async function redacted(
  { logs, envValues }: FollowDeps,
  { id, lines, request }: Lines,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const secrets = envValues.values(request.account.username, request.content.change.workload);
  try {
    return await logs.redact({ lines, secrets }, { who: `health ${id}`, signal });
  } catch (error) {
    if (error instanceof UserError || signal.aborted) return [];
    throw error;
  }
}

/** Between two clocks, the database's and ours: good for minutes. */
function ageMs({ now }: Pick<Clock, "now">, { settledAt, createdAt }: StoredChange): number {
  return now().getTime() - (settledAt ?? createdAt).getTime();
}

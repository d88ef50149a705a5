import type { Service } from "../../api/answers.ts";
import type { AccountApi } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";
import { brief } from "../../api/reason-words.ts";
import { type Level, serviceStatus } from "../../api/workload-status.ts";
import type { Change } from "../../changes/change.ts";
import { healthOf } from "../../changes/health.ts";
import type { Health, StoredChange } from "../../changes/stored-change.ts";
import { advance, type AdvanceDeps } from "../advance.ts";
import { step } from "../lifecycle.ts";
import type { Clock } from "../ports.ts";
import { type ApiDeps, apiFor, type OpenDeps, type OpenRequest, contentOf } from "../stored-request.ts";

export type FollowPartsDeps = AdvanceDeps & ApiDeps & Pick<OpenDeps, "sealer"> & { readonly clock: Clock };

type Followed = { readonly request: StoredChange; readonly opened: OpenRequest };

/** Milliseconds before each look. One list call looks at all of them. */
const PAUSES_MS = [2_000, 5_000, 10_000, 20_000];
/** Later, the health of a workload says little about the request. */
const FOLLOWED_FOR_MS = 5 * 60_000;

/**
 * After the last part: do the workloads run? Ends when each one does or has failed, after half a minute at the latest,
 * or early when the bot has to stop: then another replica looks again.
 */
export async function followParts(deps: FollowPartsDeps, followed: Followed, signal: AbortSignal): Promise<void> {
  const { request, opened } = followed;
  const { api, wait } = apiFor(deps, opened, signal);
  const startedMs = deps.clock.now().getTime();
  let left = watched(deps, request);
  for (const [at, pauseMs] of PAUSES_MS.entries()) {
    if (left.length === 0) return;
    await wait(pauseMs);
    if (signal.aborted) return;
    const services = await listed(api, left, signal);
    if (services === undefined) continue;
    const sinceMs = deps.clock.now().getTime() - startedMs;
    const looked = left.map((each) => ({
      ...each,
      look: lookAt(each.change, services.get(each.part.workload.name), sinceMs),
    }));
    const isLast = at === PAUSES_MS.length - 1;
    for (const { part, look } of looked) if (isLast || look.isSure) await record(deps, part, look.health);
    left = looked.filter(({ look }) => !look.isSure);
  }
}

type Watched = { readonly part: StoredChange; readonly change: Change };

/** Parts that are done, exist afterwards, and weren't judged before. */
function watched({ sealer, clock }: FollowPartsDeps, { parts = [] }: StoredChange): readonly Watched[] {
  const nowMs = clock.now().getTime();
  return parts.flatMap((part) => {
    const isNew = nowMs - (part.settledAt?.getTime() ?? 0) < FOLLOWED_FOR_MS;
    const isThere = part.op !== "deleteService" && part.op !== "deleteJob";
    if (part.state !== "done" || part.health !== undefined || !isNew || !isThere) return [];
    const change = contentOf(sealer, part)?.change;
    return change === undefined ? [] : [{ part, change }];
  });
}

/** Undefined when it couldn't be read. The parts of a request are in one region. */
async function listed(
  api: AccountApi,
  [first]: readonly Watched[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Service> | undefined> {
  const path = { region: first?.part.workload.region ?? "" };
  try {
    const { services } = await api.send({ op: "listServices", path, query: undefined, body: undefined }, { signal });
    return new Map(services.map((service) => [service.name, service]));
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

type Look = { readonly health: Health; readonly isSure: boolean };

const kinds: Readonly<Record<Level, Health["kind"]>> = {
  healthy: "reached",
  idle: "reached",
  busy: "not-yet",
  failing: "trouble",
};

/** A card has a line for each workload. */
const LONGEST_REASON = 160;

/** Its status in the words that every view has for it. Pure. */
function lookAt(change: Change, service: Service | undefined, sinceMs: number): Look {
  if (service === undefined) return { health: { kind: "not-yet", line: "not found", excerpt: [] }, isSure: false };
  const { level, words, reason } = serviceStatus(service);
  const line = reason === undefined ? words : `${words}: ${brief(reason, LONGEST_REASON)}`;
  const now = healthOf(change, { service }, sinceMs);
  // It runs with its old status for a moment.
  const kind = now.kind === "waiting" ? "not-yet" : kinds[level];
  return { health: { kind, line, excerpt: [] }, isSure: now.kind !== "waiting" && kind !== "not-yet" };
}

/** Trouble is news, and so in history. */
async function record(deps: FollowPartsDeps, part: StoredChange, health: Health): Promise<void> {
  const bare = step("follow", { health });
  if (health.kind === "trouble") await advance(deps, part, { ...bare, result: health.line });
  else await deps.store.advance(part.id, bare, undefined);
}

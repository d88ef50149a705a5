import type { Service } from "../../../api/answers.ts";
import type { AccountApi } from "../../../api/client.ts";
import { Problem } from "../../../api/problem.ts";
import { failingLines, type ReadDeps, readSnapshot, type SnapshotRead } from "../../changes/read-workload.ts";
import { atLast, judgeLook, type Looked, unwatched } from "../../changes/health.ts";
import type { WorkloadRef } from "../../changes/change.ts";
import { MOST_CALLS } from "../../changes/service-watch.ts";
import { serviceSnapshot } from "../../changes/updatable-fields.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import { isFollowed } from "../../views/kit/seen.ts";
import { UserError } from "../../errors.ts";
import {
  ageMs,
  FIRST_LOOK_MS,
  type Followed,
  isNews,
  LEFT_ALONE_MS,
  leftAlone,
  looking,
  lookOf,
  store,
} from "../follow.ts";
import { step } from "../lifecycle.ts";
import { contentOf } from "../stored-request.ts";
import { openRequest, type OpenRequest } from "../open-request.ts";
import type { WorkflowParts } from "../ports.ts";

/**
 * Follows a request for several workloads once its last part was sent, as `follow` does a Change of one: a list call looks
 * at all of them, and any replica goes on from what is stored with each part.
 */
export async function followParts(deps: WorkflowParts, followed: Followed, signal: AbortSignal): Promise<void> {
  const { change: request } = followed;
  if (signal.aborted) return;
  const left = (request.parts ?? []).filter(({ state, health }) => state === "done" && health === undefined);
  const looked = await lookAtParts(deps, { ...followed, left }, signal);
  if (looked === undefined) return;
  const next = together(looked.flatMap(({ nextMs }) => nextMs ?? []));
  for (const [at, { part, ...seen }] of looked.entries()) {
    // Whoever takes over in between looks at once.
    const restMs = at === looked.length - 1 ? next : 0;
    if ((await store(deps, part, seen, { restMs })) === undefined) return;
  }
  if (next === undefined && request.state === "done") {
    await deps.store.advance(request.id, step("follow", { health: unwatched, isNews: false }), undefined);
  }
  if (looked.some(({ part, ...seen }) => isNews(part, seen))) await deps.cards.draw(request.id);
}

/** Looks that are due about the same time are one call. */
const TOGETHER_MS = 20_000;

function together(pauses: readonly number[]): number | undefined {
  const first = Math.min(...pauses);
  return pauses.length === 0 ? undefined : Math.max(...pauses.filter((each) => each <= first + TOGETHER_MS));
}

type Seen = Looked & { readonly part: StoredChange };
type Left = Followed & { readonly left: readonly StoredChange[] };

/** Undefined when the bot has to stop. */
async function lookAtParts(
  deps: WorkflowParts,
  { change: request, isLeftOver, left }: Left,
  signal: AbortSignal,
): Promise<readonly Seen[] | undefined> {
  const age = ageMs(deps.clock, request);
  const isTooLate = isLeftOver && age > LEFT_ALONE_MS;
  const opened = isTooLate || !left.some(isFollowed) ? undefined : await openedIfPossible(deps, request);
  if (opened === undefined) return left.map((part) => ({ part, health: leftAlone(part) }));
  const { api, wait } = looking(deps, { change: request }, { request: opened, signal });
  if (!isLeftOver) await wait(FIRST_LOOK_MS);
  const services = signal.aborted ? undefined : await listed(api, request, signal);
  if (services === undefined) return undefined;
  const seen: Seen[] = [];
  let isLogRead =
    left.length < (request.parts?.length ?? 0) && request.parts?.some(({ health }) => health?.kind === "trouble");
  for (const part of left) {
    const change = isFollowed(part) ? contentOf(deps.sealer, part)?.change : undefined;
    if (change === undefined) {
      seen.push({ part, health: leftAlone(part) });
      continue;
    }
    const lines = async (): Promise<readonly string[]> => {
      // Of several that fail, the first one's log.
      if (isLogRead === true) return [];
      isLogRead = true;
      return failingLines(part.workload, undefined, looking(deps, { change: part }, { request: opened, signal }));
    };
    const read = services instanceof Problem ? services : await readOf(services, part.workload, { api, signal });
    seen.push({ part, ...(await judgeLook(lookOf(deps, { stored: part, change, ageMs: age }), read, lines)) });
  }
  if (signal.aborted) return undefined;
  return isLogRead === true ? seen.map(withoutLastLook) : seen;
}

/** One that the list lacks may be gone, but also be named otherwise by now, or be where the workload API can't look. */
async function readOf(
  services: ReadonlyMap<string, Service>,
  workload: WorkloadRef,
  deps: ReadDeps,
): Promise<SnapshotRead | Problem> {
  const service = services.get(workload.name);
  return service ? { snapshot: serviceSnapshot(service), read: { service } } : await readSnapshot(workload, deps);
}

/** The page of the log took the place of one look. */
function withoutLastLook(seen: Seen): Seen {
  const { nextMs, health } = seen;
  const isLast = nextMs !== undefined && (health.watch?.calls ?? 0) >= MOST_CALLS - 1;
  return isLast ? { ...seen, nextMs: undefined, health: atLast(health) } : seen;
}

/** Undefined for one that can't be opened any more. */
async function openedIfPossible(deps: WorkflowParts, request: StoredChange): Promise<OpenRequest | undefined> {
  try {
    return await openRequest(deps, request);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** The parts of a request are in one region. */
async function listed(
  api: AccountApi,
  { parts: [first] = [] }: StoredChange,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Service> | Problem> {
  const path = { region: first?.workload.region ?? "" };
  try {
    const { services } = await api.send({ op: "listServices", path, query: undefined, body: undefined }, { signal });
    return new Map(services.map((service) => [service.name, service]));
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

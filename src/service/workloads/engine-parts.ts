import type { Clock } from "../../platform/clock.ts";
import { restUnlessAborted, within } from "../../platform/waiting.ts";
import { Refusal, type User } from "../engine.ts";
import type { EngineContext } from "./engine-context.ts";
import type { JobRun } from "./jobs/job-run.ts";
import type { Trying } from "./lifecycle/back-off.ts";
import type { SerialQueue } from "./lifecycle/queues.ts";
import type { ServiceRunner } from "./services/service-runner.ts";
import { refuseUnreadable, type Unreadable } from "./answer-fields.ts";
import { amountOf, type Amount } from "./quota.ts";
import type { Addresses, Job, Service } from "./state/store.ts";
import type { LogPage } from "./logs/log-store.ts";
import { requestedDay } from "./logs/log-writer.ts";
import type { Exposure } from "./runtime.ts";

/** A service of this engine: its saved state, its instances and its open ports. */
export type LiveService = {
  readonly username: string;
  readonly region: string;
  readonly name: string;
  service: Service;
  readonly runner: ServiceRunner;
  /** By container port. */
  exposures: ReadonlyMap<number, Exposure>;
  /** The addresses of container ports that another program has taken, for as long as it does. */
  takenAddresses: Addresses;
  /** Why it is not running although it should, as a sentence. */
  held?: string | undefined;
  /** Its ports couldn't be opened at the start; being retried. */
  opening?: Trying;
  /** An accepted deletion. */
  deletion?: Trying;
};

/** A job of this engine: its saved state, and its run unless it is over. */
export type LiveJob = {
  readonly username: string;
  readonly name: string;
  job: Job;
  /** Why an unfinished job is not running, as a sentence. */
  held?: string | undefined;
  /** Why its next attempt couldn't be started yet, as a clause. */
  waiting?: string | undefined;
  run?: JobRun;
};

/** State shared by all operations. The maps are keyed by uid and mirror the state file. */
export type EngineParts = {
  readonly context: EngineContext;
  readonly regions: readonly string[];
  readonly services: Map<string, LiveService>;
  readonly jobs: Map<string, LiveJob>;
  /** Saved workloads that can't be used. */
  readonly unreadable: Map<string, Unreadable>;
  /** Writes to one workload wait for each other. */
  readonly queue: SerialQueue;
  /** Throws a `Refusal` 503 when the engine is closing. */
  readonly ensureOpen: () => void;
};

type Kind = "service" | "job";
type Named = { readonly username: string; readonly name: string; readonly region?: string };
type Place = { readonly user: User; readonly path: { readonly region: string } };
type Target = {
  readonly user: User;
  readonly path: { readonly region: string } & ({ readonly service_name: string } | { readonly job_name: string });
};

type OfKind<Live> = {
  readonly kind: Kind;
  readonly all: ReadonlyMap<string, Live>;
  /** Throws a `Refusal` 400 for a region in which there are none. */
  readonly checkRegion: (region: string) => void;
};

/** How operations find the workloads of a user, of one kind. Jobs have one region. */
export function ownWorkloads<Live extends Named>(parts: EngineParts, { kind, all, checkRegion }: OfKind<Live>) {
  function ownOf<One extends Named>(some: Iterable<One>, { user, path: { region } }: Place): One[] {
    parts.ensureOpen();
    checkRegion(region);
    return [...some].filter((one) => {
      return one.username === user.username && (kind === "job" || one.region === region);
    });
  }
  const live = (place: Place): Live[] => ownOf(all.values(), place);
  const damaged = (place: Place): Unreadable[] =>
    ownOf(parts.unreadable.values(), place).filter((each) => each.kind === kind);
  const findDamaged = (target: Target): Unreadable | undefined =>
    damaged(target).find(({ name }) => name === nameIn(target));
  const findLive = (target: Target): Live | undefined => live(target).find(({ name }) => name === nameIn(target));
  return {
    live,
    damaged,
    findLive,
    findDamaged,
    /** Throws a `Refusal` 404 if there is none, and a 409 if it is damaged. */
    find(target: Target): Live {
      const unreadable = findDamaged(target);
      if (unreadable) throw refuseUnreadable(unreadable);
      const found = findLive(target);
      if (found) return found;
      throw new Refusal(404, `no ${kind} is named ${nameIn(target)}: check the name`);
    },
    /** Runs a write after the earlier ones to the same workload. */
    async inTurn<T>(target: Target & { readonly signal: AbortSignal }, work: () => Promise<T>): Promise<T> {
      const { user, path, signal } = target;
      const key = turnOf(kind, { username: user.username, region: path.region, name: nameIn(target) });
      return await parts.queue.run(key, work, signal);
    },
  };
}

function nameIn({ path }: Target): string {
  return "job_name" in path ? path.job_name : path.service_name;
}

/** Changes with the same key in `queue` run one at a time. */
export function turnOf(kind: Kind, { username, region, name }: Named): string {
  return JSON.stringify([kind, username, region, name]);
}

type Asked = { readonly date?: string; readonly from?: number; readonly size?: number };

/** A page of a workload's log, as a request asks for it. */
export async function logPage(
  { context: { logs, clock } }: EngineParts,
  of: Pick<LogPage, "workload" | "instance">,
  { date, from = 0, size = 100 }: Asked = {},
) {
  return await logs.page({ ...of, day: requestedDay(date, clock.now()), from, size });
}

const ANSWER_WITHIN_MS = 2_000;

/**
 * Waits for slow work, but no longer than an answer may take, and not for a client that is gone. Resolves to whether the work
 * is done.
 */
export async function forAMoment(
  work: Promise<unknown>,
  signal: AbortSignal,
  clock: Pick<Clock, "after">,
): Promise<boolean> {
  let isDone = false;
  const done = work.then(() => (isDone = true));
  await within(ANSWER_WITHIN_MS, restUnlessAborted(done, signal), () => undefined, clock);
  return isDone;
}

type Workload = Service | Omit<Job, "version">;

/**
 * Reserves a workload's full size and returns a function that undoes it. Throws a `Refusal` when the runtime can't run
 * a container or a quota of the user or the host doesn't allow it.
 */
export function admit(parts: EngineParts, workload: Workload): () => void {
  const { runtime, ledger } = parts.context;
  const runs = !("region" in workload) || (workload.running && !workload.deleting);
  const { containers } = workload.definition;
  if (runs) for (const [index, container] of containers.entries()) runtime.check(container, `containers[${index}]`);
  return ledger.reserve(workload, amountFor(parts, workload, runs));
}

/**
 * Keeps the reservation that a workload needs while it doesn't run. Checks nothing, because the workload exists
 * already.
 */
export function reserveStopped(parts: EngineParts, workload: Workload): void {
  parts.context.ledger.keep(workload, amountFor(parts, workload, false));
}

/** For the end of a job. One that was deleted before its program ended has no reservation any more. */
export function reserveStoppedAtEnd(parts: EngineParts, job: Job): () => void {
  return () => {
    if (parts.jobs.has(job.uid)) reserveStopped(parts, job);
  };
}

/** A job has one instance, and no ports. */
function amountFor({ context }: EngineParts, { definition }: Workload, runs: boolean): Amount {
  const { containers, size, ports } = { size: 1, ports: [], ...definition };
  return amountOf({ containers, size: runs ? size : 0, ports: ports.length }, context.runtime.reservedMib);
}

/** Starts a service, or holds it with the reason in its status when a quota doesn't allow it. */
export function runIfAdmitted(parts: EngineParts, live: LiveService): void {
  try {
    admit(parts, live.service);
  } catch (error) {
    live.held = heldReason(error);
    reserveStopped(parts, live.service);
    // Stops adopted units.
    live.runner.want({ ...live.service, running: false }, {});
    return;
  }
  live.held = undefined;
  live.runner.want(live.service, { activity: "Starting" });
}

/** Why a saved workload is not started, as a sentence. Rethrows errors other than a `Refusal`. */
export function heldReason(error: unknown): string {
  if (!(error instanceof Refusal)) throw error;
  return error.message.replace(" Nothing was changed.", "");
}

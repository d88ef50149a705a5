import { randomInt, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { Refusal, type Engine, type EngineRequest, type User } from "../../engine.ts";
import type { DeletedJob } from "../../../api/schema.ts";
import { admitJob, reserveStoppedAtEnd, findOwn, forAMoment, ownOf, type EngineParts } from "../engine-parts.ts";
import { createdJob, deletedJob, listedJob, readJob as answerJob } from "./job-answer.ts";
import { readJob } from "../definitions.ts";
import { JOB_REGION } from "./job-run.ts";
import { insertJob, removeJob, type Job } from "../state/job-store.ts";
import { keepTrying } from "../lifecycle/back-off.ts";
import { clearJob, openJob, unwellOf, type LiveJob } from "./live-job.ts";
import { requestedDay } from "../logs/log-writer.ts";
import { recordFolder, reserveRecords } from "./run-record.ts";
import { ensureJob } from "../stored-definition.ts";
import { refuseUnreadable, unreadableJob, type Unreadable } from "../answer-fields.ts";

type JobOperations = Pick<Engine, "listJobs" | "getJob" | "createJob" | "deleteJob" | "getJobInstanceLogs">;

export function jobOperations(parts: EngineParts): JobOperations {
  const around = (live: LiveJob) => ({ ...placesOf(parts, live), held: live.held, ...unwellOf(live) });
  return {
    async listJobs({ user, path }) {
      checkRegion(parts, path.region);
      const jobs = [...parts.jobs.values()].filter(({ username }) => username === user.username);
      const unreadable = unreadableJobs(parts).filter(({ username }) => username === user.username);
      return {
        jobs: [...jobs.map((live) => listedJob(live.job, around(live))), ...unreadable.map(unreadableJob)],
      };
    },
    async getJob({ user, path }) {
      const unreadable = findUnreadable(parts, { user, path });
      if (unreadable) {
        const instances = await parts.context.logs.instances(unreadable.uid).catch(() => []); // their log is damaged, too
        return { instance_names: [...instances], ...unreadableJob(unreadable) };
      }
      const live = find(parts, { user, path });
      return answerJob(live.job, around(live));
    },
    createJob: (request) =>
      inTurn(parts, request, async () => {
        const live = await create(parts, request);
        return { job: createdJob(live.job, placesOf(parts, live)) };
      }),
    deleteJob: (request) => inTurn(parts, request, () => remove(parts, request)),
    async getJobInstanceLogs({ user, path, query }) {
      const { logs, clock } = parts.context;
      const instance = path.instance_name;
      const { uid } = await loggedJob(parts, { user, path }, instance);
      const { date, from = 0, size = 100 } = query ?? {};
      const lines = await logs.page({ workload: uid, instance, day: requestedDay(date, clock.now()), from, size });
      return lines.map(({ line }) => line);
    },
  };
}

function placesOf({ context: { runtime } }: EngineParts, { username }: LiveJob) {
  const volumePath = (name: string) => runtime.volumePath({ kind: "volume", username, name });
  return { volumePath, ...(runtime.enforcedMib && { enforcedMib: runtime.enforcedMib }) };
}

type Target = { readonly user: User; readonly path: { readonly region: string; readonly job_name: string } };
type Write = Target & { readonly signal: AbortSignal };

function checkRegion(parts: EngineParts, region: string): void {
  parts.ensureOpen();
  if (region !== JOB_REGION) {
    throw new Refusal(400, `jobs don't run in the region ${region}: use ${JOB_REGION}`);
  }
}

function find(parts: EngineParts, { user, path }: Target): LiveJob {
  const unreadable = findUnreadable(parts, { user, path });
  if (unreadable) throw refuseUnreadable(unreadable);
  return findOwn(parts.jobs.values(), { user, name: path.job_name, noun: "job" });
}

/** Of a damaged job, only its log knows the name of its instance. */
async function loggedJob(parts: EngineParts, target: Target, instance: string): Promise<{ readonly uid: string }> {
  const unreadable = findUnreadable(parts, target);
  if (unreadable) {
    if (await parts.context.logs.hasInstance(unreadable.uid, instance)) return unreadable;
    throw new Refusal(404, `the log of job ${unreadable.name} has no instance ${instance}`);
  }
  const { job } = find(parts, target);
  if (instance === job.instance) return job;
  throw new Refusal(404, `job ${job.name} has no instance ${instance}: use ${job.instance}`);
}

function findUnreadable(parts: EngineParts, { user, path }: Target): Unreadable | undefined {
  checkRegion(parts, path.region);
  return ownOf(unreadableJobs(parts), user, path.job_name);
}

function unreadableJobs({ unreadable }: EngineParts): Unreadable[] {
  return [...unreadable.values()].filter(({ kind }) => kind === "job");
}

function inTurn<T>(parts: EngineParts, { user, path, signal }: Write, work: () => Promise<T>): Promise<T> {
  return parts.queue.run(JSON.stringify(["job", user.username, path.job_name]), work, signal);
}

/** Validates, reserves, saves, then runs. Releases the reservation when saving fails. */
async function create(parts: EngineParts, { user, path, body }: EngineRequest<"createJob">): Promise<LiveJob> {
  const { job_name: name } = path;
  const taken = findUnreadable(parts, { user, path }) ?? ownOf(parts.jobs.values(), user, name);
  if (taken) throw new Refusal(409, `a job named ${name} already exists: choose another name`);
  const definition = readJob(name, body, parts.context.runtime.check);
  ensureJob(definition);
  const job = newJob(user, name, { definition, createdAt: parts.context.clock.now().toISOString() });
  const giveBack = admitJob(parts, job);
  const version = await saved(parts, job).catch((error: unknown) => {
    giveBack();
    throw error;
  });
  const whole = { ...job, version };
  const live = openJob(whole, { context: parts.context, onOver: reserveStoppedAtEnd(parts, whole) });
  parts.jobs.set(job.uid, live);
  return live;
}

/** Like the suffixes of pod names: no vowels and no characters that look alike.
 * https://github.com/kubernetes/apimachinery/blob/v0.34.0/pkg/util/rand/rand.go */
const LETTERS = "bcdfghjklmnpqrstvwxz2456789";

function newJob(user: User, name: string, of: Pick<Job, "definition" | "createdAt">): Omit<Job, "version"> {
  return {
    uid: randomUUID(),
    username: user.username,
    name,
    createdAt: of.createdAt,
    instance: `${name}-${Array.from({ length: 5 }, () => LETTERS[randomInt(LETTERS.length)]).join("")}`,
    definition: of.definition,
    startedAt: undefined,
    endedAt: undefined,
    outcome: undefined,
    failures: 0,
    lastExit: undefined,
    reason: undefined,
    hasRecords: true,
  };
}

/** Run records first: a saved job must be able to record its runs even if the disk fills up later. */
async function saved({ context: { state, dataDir } }: EngineParts, job: Omit<Job, "version">): Promise<number> {
  try {
    await reserveRecords(dataDir, job.uid, job.definition.containers.length);
    return await insertJob(state, job);
  } catch (error) {
    await rm(recordFolder(dataDir, job.uid), { recursive: true, force: true });
    throw error;
  }
}

/** The job is gone with the answer; its units end within the grace time, mostly before the answer. */
async function remove(parts: EngineParts, { user, path, signal }: Write): Promise<DeletedJob> {
  const unreadable = findUnreadable(parts, { user, path });
  const live = unreadable ? undefined : find(parts, { user, path });
  const uid = unreadable?.uid ?? live?.job.uid ?? "";
  const { context } = parts;
  await removeJob(context.state, uid);
  parts.jobs.delete(uid);
  parts.unreadable.delete(uid);
  parts.context.ledger.release(uid);
  const clearing = keepTrying(() => clearJob(uid, live?.run, context), {
    closing: context.closing,
    clock: context.clock,
    onFailure: (error) => context.onEvent("couldn't remove the files of a deleted job", { error, job: uid }),
  });
  context.inBackground(clearing.over);
  return deletedJob(path.job_name, await forAMoment(clearing.over, signal, parts.context.clock));
}

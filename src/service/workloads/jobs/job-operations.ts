import { randomInt, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { Refusal, type Engine, type EngineRequest, type User } from "../../engine.ts";
import type { DeletedJob } from "../../../api/schema.ts";
import { admit, reserveStoppedAtEnd, forAMoment, ownWorkloads, type EngineParts } from "../engine-parts.ts";
import { createdJob, deletedJob, listedJob, readJob as answerJob } from "./job-answer.ts";
import { readJob } from "../definitions.ts";
import { JOB_REGION } from "./job-run.ts";
import { insertJob, removeJob, type Job } from "../state/store.ts";
import { keepTrying } from "../lifecycle/back-off.ts";
import { clearJob, openJob, unwellOf, type LiveJob } from "./live-job.ts";
import { requestedDay } from "../logs/log-writer.ts";
import { recordFolder, reserveRecords } from "./run-record.ts";
import { ensureJob } from "../definitions.ts";
import { unreadableJob } from "../answer-fields.ts";

type JobOperations = Pick<Engine, "listJobs" | "getJob" | "createJob" | "deleteJob" | "getJobInstanceLogs">;

export function jobOperations(parts: EngineParts): JobOperations {
  const around = (live: LiveJob) => ({ ...placesOf(parts, live), held: live.held, ...unwellOf(live) });
  const own = ownJobs(parts);
  return {
    async listJobs({ user, path }) {
      const jobs = own.live({ user, ...path }).map((live) => listedJob(live.job, around(live)));
      return { jobs: [...jobs, ...own.damaged({ user, ...path }).map(unreadableJob)] };
    },
    async getJob(request) {
      const unreadable = own.findDamaged(targetOf(request));
      if (unreadable) {
        const instances = await parts.context.logs.instances(unreadable.uid).catch(() => []); // their log is damaged, too
        return { instance_names: [...instances], ...unreadableJob(unreadable) };
      }
      const live = own.find(targetOf(request));
      return answerJob(live.job, around(live));
    },
    createJob: (request) =>
      inTurn(parts, request, async () => {
        const live = await create(parts, request);
        return { job: createdJob(live.job, placesOf(parts, live)) };
      }),
    deleteJob: (request) => inTurn(parts, request, () => remove(parts, request)),
    async getJobInstanceLogs(request) {
      const { logs, clock } = parts.context;
      const { instance_name: instance } = request.path;
      const { uid } = await loggedJob(parts, request, instance);
      const { date, from = 0, size = 100 } = request.query ?? {};
      const lines = await logs.page({ workload: uid, instance, day: requestedDay(date, clock.now()), from, size });
      return lines.map(({ line }) => line);
    },
  };
}

function ownJobs(parts: EngineParts) {
  return ownWorkloads(parts, {
    kind: "job",
    all: parts.jobs,
    checkRegion(region) {
      if (region !== JOB_REGION) throw new Refusal(400, `jobs don't run in the region ${region}: use ${JOB_REGION}`);
    },
  });
}

function placesOf({ context: { runtime } }: EngineParts, { username }: LiveJob) {
  const volumePath = (name: string) => runtime.volumePath({ kind: "volume", username, name });
  return { volumePath, ...(runtime.enforcedMib && { enforcedMib: runtime.enforcedMib }) };
}

type Request = { readonly user: User; readonly path: { readonly region: string; readonly job_name: string } };
type Write = Request & { readonly signal: AbortSignal };

function targetOf({ user, path }: Request) {
  return { user, region: path.region, name: path.job_name };
}

/** Of a damaged job, only its log knows the name of its instance. */
async function loggedJob(parts: EngineParts, request: Request, instance: string): Promise<{ readonly uid: string }> {
  const own = ownJobs(parts);
  const unreadable = own.findDamaged(targetOf(request));
  if (unreadable) {
    if (await parts.context.logs.hasInstance(unreadable.uid, instance)) return unreadable;
    throw new Refusal(404, `the log of job ${unreadable.name} has no instance ${instance}`);
  }
  const { job } = own.find(targetOf(request));
  if (instance === job.instance) return job;
  throw new Refusal(404, `job ${job.name} has no instance ${instance}: use ${job.instance}`);
}

function inTurn<T>(parts: EngineParts, { user, path, signal }: Write, work: () => Promise<T>): Promise<T> {
  return parts.queue.run(JSON.stringify(["job", user.username, path.job_name]), work, signal);
}

/** Validates, reserves, saves, then runs. Releases the reservation when saving fails. */
async function create(parts: EngineParts, { user, path, body }: EngineRequest<"createJob">): Promise<LiveJob> {
  const { job_name: name } = path;
  const own = ownJobs(parts);
  const target = { user, ...path, name };
  if (own.findDamaged(target) ?? own.findLive(target))
    throw new Refusal(409, `a job named ${name} already exists: choose another name`);
  const definition = readJob(name, body, parts.context.runtime.check);
  ensureJob(definition);
  const job = newJob(user, name, { definition, createdAt: parts.context.clock.now().toISOString() });
  const giveBack = admit(parts, job);
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
async function remove(parts: EngineParts, request: Write): Promise<DeletedJob> {
  const own = ownJobs(parts);
  const unreadable = own.findDamaged(targetOf(request));
  const live = unreadable ? undefined : own.find(targetOf(request));
  const uid = unreadable?.uid ?? live?.job.uid ?? "";
  const { context } = parts;
  await removeJob(context.state, uid);
  parts.jobs.delete(uid);
  parts.unreadable.delete(uid);
  context.ledger.release(uid);
  const failed = "couldn't remove the files of a deleted job";
  const { over } = keepTrying(() => clearJob(uid, live?.run, context), context, { failed, job: uid });
  return deletedJob(request.path.job_name, await forAMoment(over, request.signal, context.clock));
}

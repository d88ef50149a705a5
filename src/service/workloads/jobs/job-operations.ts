import { randomInt, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { Refusal, type Engine, type EngineRequest, type User } from "../../engine.ts";
import type { DeletedJob } from "../../../api/schema.ts";
import {
  admit,
  reserveStoppedAtEnd,
  forAMoment,
  logPage,
  ownWorkloads,
  type EngineParts,
  type LiveJob,
} from "../engine-parts.ts";
import { createdJob, deletedJob, listedJob, readJob as answerJob } from "./job-answer.ts";
import { ensureJob, readJob } from "../definitions.ts";
import { JOB_REGION } from "./job-run.ts";
import { insertJob, removeJob, type Job } from "../state/store.ts";
import { keepTrying } from "../lifecycle/back-off.ts";
import { clearJob, openJob, unwellOf } from "./live-job.ts";
import { recordFolder, reserveRecords } from "./run-record.ts";
import { unreadableJob } from "../answer-fields.ts";

type JobOperations = Pick<Engine, "listJobs" | "getJob" | "createJob" | "deleteJob" | "getJobInstanceLogs">;

export function jobOperations(parts: EngineParts): JobOperations {
  const around = (live: LiveJob) => ({ ...placesOf(parts, live), held: live.held, ...unwellOf(live) });
  const own = ownJobs(parts);
  return {
    async listJobs(place) {
      const jobs = own.live(place).map((live) => listedJob(live.job, around(live)));
      return { jobs: [...jobs, ...own.damaged(place).map(unreadableJob)] };
    },
    async getJob(request) {
      const unreadable = own.findDamaged(request);
      if (unreadable) {
        const instances = await parts.context.logs.instances(unreadable.uid).catch(() => []); // their log is damaged, too
        return { instance_names: [...instances], ...unreadableJob(unreadable) };
      }
      const live = own.find(request);
      return answerJob(live.job, around(live));
    },
    createJob: (request) =>
      own.inTurn(request, async () => {
        const live = await create(parts, request);
        return { job: createdJob(live.job, placesOf(parts, live)) };
      }),
    deleteJob: (request) => own.inTurn(request, () => remove(parts, request)),
    async getJobInstanceLogs(request) {
      const { instance_name: instance } = request.path;
      const { uid } = await loggedJob(parts, request, instance);
      const lines = await logPage(parts, { workload: uid, instance }, request.query);
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
  return { volumePath, enforcedMib: runtime.enforcedMib };
}

type Request = Pick<EngineRequest<"getJob">, "user" | "path">;

/** Of a damaged job, only its log knows the name of its instance. */
async function loggedJob(parts: EngineParts, request: Request, instance: string): Promise<{ readonly uid: string }> {
  const own = ownJobs(parts);
  const unreadable = own.findDamaged(request);
  if (unreadable) {
    if (await parts.context.logs.hasInstance(unreadable.uid, instance)) return unreadable;
    throw new Refusal(404, `the log of job ${unreadable.name} has no instance ${instance}`);
  }
  const { job } = own.find(request);
  if (instance === job.instance) return job;
  throw new Refusal(404, `job ${job.name} has no instance ${instance}: use ${job.instance}`);
}

/** Validates, reserves, saves, then runs. Releases the reservation when saving fails. */
async function create(parts: EngineParts, request: EngineRequest<"createJob">): Promise<LiveJob> {
  const { user, path, body } = request;
  const { job_name: name } = path;
  const own = ownJobs(parts);
  if (own.findDamaged(request) ?? own.findLive(request))
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
async function remove(parts: EngineParts, request: EngineRequest<"deleteJob">): Promise<DeletedJob> {
  const own = ownJobs(parts);
  const unreadable = own.findDamaged(request);
  const live = unreadable ? undefined : own.find(request);
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

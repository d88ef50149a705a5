import { randomInt, randomUUID } from "node:crypto";
import { Refusal, type Engine, type EngineRequest, type User } from "../engine.ts";
import { findOwn, forAMoment, type EngineParts } from "./engine-parts.ts";
import { jobVolume } from "./host-folder.ts";
import { createdJob, listedJob, readJob as answerJob } from "./job-answer.ts";
import { readJob } from "./job-definition.ts";
import { JOB_REGION } from "./job-run.ts";
import { insertJob, removeJob } from "./job-store.ts";
import { clearJob, openJob, type LiveJob } from "./live-job.ts";
import { requestedDay } from "./log-writer.ts";

type JobOperations = Pick<Engine, "listJobs" | "getJob" | "createJob" | "deleteJob" | "getJobInstanceLogs">;

export function jobOperations(parts: EngineParts): JobOperations {
  const volumePath = (user: User) => (volume: string) => jobVolume(parts.surface.dataDir, user.username, volume);
  return {
    async listJobs({ user, path }) {
      checkRegion(parts, path.region);
      const jobs = [...parts.jobs.values()].filter(({ username }) => username === user.username);
      return { jobs: jobs.map(({ job }) => listedJob(job, volumePath(user))) };
    },
    async getJob({ user, path }) {
      return answerJob(find(parts, user, path).job, volumePath(user));
    },
    createJob: (request) =>
      oneByOne(parts, request, async () => {
        const { job } = await create(parts, request);
        return { job: createdJob(job, volumePath(request.user)) };
      }),
    deleteJob: (request) => oneByOne(parts, request, () => remove(parts, request)),
    async getJobInstanceLogs({ user, path, query }) {
      const { job } = find(parts, user, path);
      const instance = path.instance_name;
      if (instance !== job.instance) {
        throw new Refusal(404, `the job ${job.name} has no instance named ${instance}: it has ${job.instance}`);
      }
      const { logs, now } = parts.surface;
      const { date, from = 0, size = 100 } = query ?? {};
      const lines = await logs.page({ workload: job.uid, instance, day: requestedDay(date, now()), from, size });
      return lines.map(({ line }) => line);
    },
  };
}

type Asked = { readonly user: User; readonly path: { readonly region: string; readonly job_name: string } };

function checkRegion(parts: EngineParts, region: string): void {
  parts.ensureOpen();
  if (region !== JOB_REGION) {
    throw new Refusal(400, `jobs run only in the region ${JOB_REGION}, not in ${region}: use ${JOB_REGION}`);
  }
}

function find(parts: EngineParts, user: User, path: Asked["path"]): LiveJob {
  checkRegion(parts, path.region);
  return findOwn(parts.jobs.values(), { user, name: path.job_name, noun: "job" });
}

function oneByOne<T>(parts: EngineParts, { user, path }: Asked, work: () => Promise<T>): Promise<T> {
  return parts.queue.run(JSON.stringify(["job", user.username, path.job_name]), work);
}

async function create(parts: EngineParts, { user, path, body }: EngineRequest<"createJob">): Promise<LiveJob> {
  checkRegion(parts, path.region);
  const { job_name: name } = path;
  const { catalogue, state, now } = parts.surface;
  const job = {
    uid: randomUUID(),
    username: user.username,
    name,
    createdAt: now().toISOString(),
    instance: `${name}-${randomLetters(5)}`,
    definition: readJob(name, body, catalogue),
    startedAt: undefined,
    endedAt: undefined,
    outcome: undefined,
    failures: 0,
  };
  const version = await insertJob(state, job);
  const live = openJob({ ...job, version }, parts.surface);
  parts.jobs.set(job.uid, live);
  return live;
}

/** The job is gone with the answer; what still runs of it ends within the grace time, mostly before the answer. */
async function remove(parts: EngineParts, { user, path }: Asked): Promise<{ jobName: string }> {
  const live = find(parts, user, path);
  await removeJob(parts.surface.state, live.job.uid);
  parts.jobs.delete(live.job.uid);
  const cleared = clearJob(live, parts.surface);
  parts.inBackground(cleared);
  await forAMoment(cleared);
  return { jobName: path.job_name };
}

/** Like the ends of pod names: neither vowels nor what looks alike.
 * https://github.com/kubernetes/apimachinery/blob/v0.34.0/pkg/util/rand/rand.go */
const LETTERS = "bcdfghjklmnpqrstvwxz2456789";

function randomLetters(count: number): string {
  return Array.from({ length: count }, () => LETTERS[randomInt(LETTERS.length)]).join("");
}

import { randomUUID } from "node:crypto";
import type { Clock } from "../../../src/platform/clock.ts";
import { Refusal, type Engine } from "../../../src/service/engine.ts";
import { readJob } from "../../../src/service/workloads/definitions.ts";
import * as answers from "../../../src/service/workloads/jobs/job-answer.ts";
import type { Job } from "../../../src/service/workloads/state/store.ts";
import { checkImage, images, type Line, makeStore, pageOf } from "./memory-store.ts";

type MemoryJob = { job: Job; readonly lines: Line[] };
type JobOperations = Pick<Engine, "listJobs" | "getJob" | "createJob" | "deleteJob" | "getJobInstanceLogs">;

/** Jobs that end a moment after their creation. `later` runs something after that moment. */
export function memoryJobs(later: (work: () => void) => void, clock: Pick<Clock, "now">): JobOperations {
  const store = makeStore<MemoryJob>();
  const place = ({ region, job_name: name = "" }: { region: string; job_name?: string }) => {
    if (region !== "us") throw new Refusal(400, "jobs run only in the region us");
    return { region, name };
  };
  return {
    async listJobs({ user, path }) {
      return { jobs: store.of(user, place(path).region).map(({ job }) => answers.listedJob(job, around(job))) };
    },
    async getJob({ user, path }) {
      const { job } = store.find(user, place(path));
      return answers.readJob(job, around(job));
    },
    async createJob({ user, path, body }) {
      const where = place(path);
      const definition = readJob(where.name, body, checkImage);
      store.refuseTwin(user, where);
      const now = clock.now().toISOString();
      const job: Job = {
        uid: randomUUID(),
        username: user.username,
        name: where.name,
        createdAt: now,
        version: 1,
        instance: `${where.name}-${randomUUID().slice(0, 5)}`,
        definition,
        startedAt: now,
        endedAt: undefined,
        outcome: undefined,
        failures: 0,
        lastExit: undefined,
        reason: undefined,
        hasRecords: false,
      };
      const item = { job, lines: [] };
      store.add(user, where, item);
      later(() => run(item, clock.now().toISOString()));
      return { job: answers.createdJob(job, around(job)) };
    },
    async deleteJob({ user, path }) {
      store.find(user, place(path));
      store.remove(user, place(path));
      return answers.deletedJob(path.job_name, true);
    },
    async getJobInstanceLogs({ user, path, query }) {
      const { job, lines } = store.find(user, place(path));
      if (job.instance !== path.instance_name) throw new Refusal(404, `there is no instance ${path.instance_name}`);
      return pageOf(lines, query, clock.now()).map(({ text }) => text);
    },
  };
}

function around({ failures, lastState, ...job }: Job): answers.AroundJob {
  const unwell = failures > 0 && { lastState, message: answers.attemptsText({ failures, ...job }) };
  return { volumePath: (volume) => `/memory/${volume}`, restartCount: Math.max(failures - 1, 0), ...unwell };
}

function run(item: MemoryJob, now: string): void {
  const { job, lines } = item;
  const write = (text: string) => lines.push({ instance: job.instance, text });
  const [container] = job.definition.containers;
  if (container?.image === images.lasting) {
    write("began");
  } else if (container?.image === images.failing) {
    for (const attempt of [1, 2, 3]) write(`attempt ${attempt} failed`);
    const lastState = { reason: "Error", exit_code: 3, finished_at: now };
    const ended = { endedAt: now, outcome: "failed", failures: 3, lastExit: "exit code 3", lastState } as const;
    Object.assign(item, { job: { ...job, ...ended } });
  } else {
    const count = Number(container?.command?.[0]);
    for (let line = 1; line <= count; line += 1) write(`line ${line} of ${count}.`);
    Object.assign(item, { job: { ...job, endedAt: now, outcome: "complete" } });
  }
}

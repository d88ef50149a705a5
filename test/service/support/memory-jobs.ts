import { randomUUID } from "node:crypto";
import type { Clock } from "../../../src/platform/clock.ts";
import type { Job, JobResources, JobStatus, NewJob, NewResources } from "../../../src/api/schema.ts";
import { Refusal, type Engine } from "../../../src/service/engine.ts";
import { checkBody, found, images, keyOf, type Line, mib, ofUser, pageOf, refuseTwin } from "./memory-store.ts";

type Unwell = Pick<Job, "restart_count" | "last_state" | "message">;
type MemoryJob = {
  readonly job: Job;
  readonly instance: string;
  readonly lines: Line[];
  status: JobStatus;
  unwell: Unwell;
};
type JobOperations = Pick<Engine, "listJobs" | "getJob" | "createJob" | "deleteJob" | "getJobInstanceLogs">;

/** Jobs that end a moment after their creation. `later` runs something after that moment. */
export function memoryJobs(later: (work: () => void) => void, clock: Pick<Clock, "now">): JobOperations {
  const store = new Map<string, MemoryJob>();
  const place = ({ region, job_name: name }: { region: string; job_name: string }) => {
    if (region !== "us") throw new Refusal(400, "jobs run only in the region us");
    return { region, name };
  };
  const listed = ({ job, status, unwell }: MemoryJob): Job => ({ ...job, status, ...unwell });
  return {
    async listJobs({ user, path: { region } }) {
      place({ region, job_name: "" });
      return { jobs: ofUser(store, user, region).map(listed) };
    },
    async getJob({ user, path }) {
      const item = found(store, user, place(path));
      return { instance_names: [item.instance], ...listed(item) };
    },
    async createJob({ user, path, body }) {
      const where = place(path);
      const { containers } = body;
      if (containers === undefined) throw new Refusal(400, "there are no CronJobs here");
      checkBody({ ...body, containers });
      refuseTwin(store, user, where);
      const job = jobOf(where.name, { namespace: user.username, createdAt: clock.now() }, body);
      const instance = `${where.name}-${randomUUID().slice(0, 5)}`;
      const status = { startTime: clock.now().toISOString() };
      const item: MemoryJob = { job, instance, lines: [], status, unwell: { restart_count: 0 } };
      store.set(keyOf(user, where), item);
      later(() => run(item, body, clock.now().toISOString()));
      const metadata = { ...job.spec?.template?.metadata, namespace: user.username };
      return { job: { ...job, spec: { ...job.spec, template: { ...job.spec?.template, metadata } }, status: {} } };
    },
    async deleteJob({ user, path }) {
      found(store, user, place(path));
      store.delete(keyOf(user, place(path)));
      return { jobName: path.job_name };
    },
    async getJobInstanceLogs({ user, path, query }) {
      const { instance, lines } = found(store, user, place(path));
      if (instance !== path.instance_name) throw new Refusal(404, `there is no instance ${path.instance_name}`);
      return pageOf(lines, query, clock.now()).map(({ text }) => text);
    },
  };
}

function run(item: MemoryJob, { containers: [container] = [] }: NewJob, now: string): void {
  const write = (text: string) => item.lines.push({ instance: item.instance, text });
  const condition = { status: "True", lastProbeTime: now, lastTransitionTime: now };
  if (container?.image === images.lasting) {
    write("began");
  } else if (container?.image === images.failing) {
    for (const attempt of [1, 2, 3]) write(`attempt ${attempt} failed`);
    const message = "exit code 3 after 3 attempts";
    const conditions = [{ ...condition, type: "Failed", reason: "BackoffLimitExceeded", message }];
    item.status = { ...item.status, conditions, failed: 3 };
    item.unwell = { restart_count: 2, last_state: { reason: "Error", exit_code: 3, finished_at: now }, message };
  } else {
    const count = Number(container?.command?.[0]);
    for (let line = 1; line <= count; line += 1) write(`line ${line} of ${count}.`);
    const conditions = [{ ...condition, type: "Complete" }];
    item.status = { ...item.status, conditions, completionTime: now, succeeded: 1 };
  }
}

type Made = { readonly namespace: string; readonly createdAt: Date };

function jobOf(name: string, { namespace, createdAt }: Made, body: NewJob): Job {
  const uid = randomUUID();
  const zone = { name: `${name}-time-zone`, path: "/etc/localtime" };
  const added = body.sync_timezone === true ? [{ name: zone.name, mountPath: zone.path, readOnly: true }] : [];
  const paths = (body.volumes ?? []).map((volume) => ({ name: volume.name, path: `/memory/${volume.name}` }));
  if (body.sync_timezone === true) paths.push(zone);
  const volumes = paths.map((volume) => ({ name: volume.name, hostPath: { path: volume.path } }));
  const containers = (body.containers ?? []).map(({ image, command, env, ...container }) => ({
    name,
    image,
    ...(command && { command }),
    ...(env && { env }),
    resources: memoryOf(container.resources),
    volumeMounts: [...(container.volumeMounts ?? []), ...added],
    imagePullPolicy: container.pull_always === true ? "Always" : "IfNotPresent",
  }));
  const defaults = {
    restartPolicy: "OnFailure",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    serviceAccountName: "",
    securityContext: {},
  };
  const labels = { "controller-uid": uid, "job-name": name, name };
  return {
    metadata: {
      name,
      namespace,
      selfLink: `/memory/${namespace}/${name}`,
      uid,
      resourceVersion: "1",
      creationTimestamp: createdAt.toISOString(),
      labels: { name },
    },
    spec: {
      parallelism: 1,
      completions: 1,
      selector: { matchLabels: { "controller-uid": uid } },
      template: {
        metadata: { name, creationTimestamp: null, labels },
        spec: { volumes: volumes.length > 0 ? volumes : null, containers, ...defaults },
      },
    },
  };
}

function memoryOf(resources: NewResources = {}): JobResources {
  const memory = resources.limits?.memory;
  return memory === undefined ? {} : { limits: { memory: `${mib(memory)}Mi` } };
}

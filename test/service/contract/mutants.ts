import { randomUUID } from "node:crypto";
import { type EngineRequest, Refusal } from "../../../src/service/engine.ts";
import { mutant, type Mutant, without } from "./mutant.ts";
import { unwellMutants } from "./unwell-mutants.ts";

/** A write that answers as it should and does nothing. */
const accepts = async () => ({});

export const mutants: readonly Mutant[] = [
  ...unwellMutants,
  mutant("listJobs", "is always empty", () => ({ listJobs: async () => ({ jobs: [] }) })),
  mutant("listJobs", "shows one user's jobs to all", (good) => ({
    listJobs: (request) => good.listJobs({ ...request, user: { username: "dana" } }),
  })),
  mutant("listJobs", "names instances", (good) => ({
    async listJobs(request) {
      const { jobs } = await good.listJobs(request);
      return { jobs: jobs.map((job) => ({ ...job, instance_names: [] })) };
    },
  })),
  mutant("getJob", "forgets the names of the instances", (good) => ({
    async getJob(request) {
      return without(await good.getJob(request), "instance_names");
    },
  })),
  mutant("getJob", "never tells how the job ended", (good) => ({
    getJob: async (request) => ({ ...(await good.getJob(request)), status: {} }),
  })),
  mutant("getJob", "knows a job of every name", (good) => ({
    getJob: (request) => good.getJob(request).catch(() => ({ metadata: { name: request.path.job_name } })),
  })),
  mutant("createJob", "ignores the command", (good) => ({
    createJob: (request) => {
      const containers = (request.body.containers ?? []).map((container) => without(container, "command"));
      return good.createJob({ ...request, body: { ...request.body, containers } });
    },
  })),
  mutant("createJob", "replaces a job of that name", (good) => ({
    async createJob(request) {
      await good.deleteJob({ ...request, body: undefined }).catch(() => undefined);
      return await good.createJob(request);
    },
  })),
  mutant("createJob", "answers and creates nothing", () => ({
    createJob: async ({ path }) => ({ job: { metadata: { name: path.job_name }, spec: {}, status: {} } }),
  })),
  mutant("createJob", "pulls every image anew", (good) => ({
    createJob: (request) => {
      const containers = (request.body.containers ?? []).map((container) => ({ ...container, pull_always: true }));
      return good.createJob({ ...request, body: { ...request.body, containers } });
    },
  })),
  mutant("deleteJob", "answers but keeps the job", () => ({
    deleteJob: async ({ path }) => ({ jobName: path.job_name }),
  })),
  mutant("deleteJob", "answers for jobs that are not there", (good) => ({
    deleteJob: (request) => good.deleteJob(request).catch(() => ({ jobName: request.path.job_name })),
  })),
  ...(["getJobInstanceLogs", "getServiceLogs"] as const).flatMap((op) => {
    type Asked = EngineRequest<typeof op>;
    const reads = (bug: string, change: (asked: Asked) => Asked, order = (lines: readonly unknown[]) => lines) =>
      mutant(op, bug, (good) => ({
        async [op](request: Asked) {
          return order(await (good[op] as (asked: Asked) => Promise<readonly unknown[]>)(change(request))); // its own operation
        },
      }));
    return [
      reads("ignores from", (asked) => ({ ...asked, query: { ...asked.query, from: 0 } })),
      reads("ignores size", (asked) => ({ ...asked, query: { ...asked.query, size: 1000 } })),
      reads("ignores the date", (asked) => ({ ...asked, query: without(asked.query ?? {}, "date") })),
      reads(
        "is newest first",
        (asked) => asked,
        (lines) => lines.toReversed(),
      ),
    ];
  }),
  mutant("getJobInstanceLogs", "counts from the oldest line", (good) => ({
    async getJobInstanceLogs(request) {
      const { from = 0, size = 100, ...query } = request.query ?? {};
      const all = await good.getJobInstanceLogs({ ...request, query: { ...query, from: 0, size: 1000 } });
      return all.slice(from, from + size);
    },
  })),
  mutant("getJobInstanceLogs", "takes any instance for the job's own", (good) => ({
    async getJobInstanceLogs(request) {
      const [instance_name = ""] = (await good.getJob({ ...request, query: undefined })).instance_names ?? [];
      return await good.getJobInstanceLogs({ ...request, path: { ...request.path, instance_name } });
    },
  })),
  mutant("listServices", "shows the services of every region", (good) => ({
    async listServices(request) {
      const lists = ["us", "beijing1"].map((region) => good.listServices({ ...request, path: { region } }));
      const services = (await Promise.all(lists)).flatMap((list) => list.services);
      return { region: request.path.region, services };
    },
  })),
  mutant("listServices", "leaves out the status", (good) => ({
    async listServices(request) {
      const list = await good.listServices(request);
      return { ...list, services: list.services.map((service) => without(service, "status")) };
    },
  })),
  mutant("getService", "counts the same restarts for all", (good) => ({
    getService: async (request) => ({ ...(await good.getService(request)), restarts: { count: 1 } }),
  })),
  mutant("getService", "says that everything is running", (good) => ({
    getService: async (request) => ({ ...(await good.getService(request)), status: "Running" }),
  })),
  mutant("getService", "looks into one region only", (good) => ({
    getService: (request) => good.getService({ ...request, path: { ...request.path, region: "us" } }),
  })),
  mutant("getService", "forgets the region", (good) => ({
    async getService(request) {
      return without(await good.getService(request), "region");
    },
  })),
  mutant("createService", "starts one instance, however many were asked for", (good) => ({
    async createService(request) {
      const created = await good.createService({ ...request, body: { ...request.body, target_instance_size: 1 } });
      return { ...created, target_instance_size: request.body.target_instance_size ?? 1 };
    },
  })),
  mutant("createService", "assigns no address", (good) => ({
    async createService(request) {
      const { default_domain_name: _, ...created } = await good.createService(request);
      return { ...created, port_mappings: [] };
    },
  })),
  mutant("createService", "drops the domains", (good) => ({
    createService: (request) => good.createService({ ...request, body: without(request.body, "binding_domain_name") }),
  })),
  mutant("createService", "answers as for a read", (good) => ({
    async createService(request) {
      await good.createService(request);
      return await good.getService({ ...request, body: undefined });
    },
  })),
  mutant("deleteService", "answers but keeps the service", () => ({
    deleteService: async () => "Service was deleted successfully",
  })),
  mutant("deleteService", "only stops the service", (good) => ({
    async deleteService(request) {
      await good.stopService(request);
      return "Service was deleted successfully";
    },
  })),
  mutant("deleteService", "answers JSON", (good) => ({
    async deleteService(request) {
      await good.deleteService(request);
      return { message: "Service was deleted successfully" };
    },
  })),
  mutant("updateService", "ignores the body", (good) => ({
    updateService: (request) => good.updateService({ ...request, body: {} }),
  })),
  mutant("updateService", "goes back to any revision by doing nothing", (good) => ({
    updateService: (request) => good.updateService({ ...request, body: without(request.body, "revision") }),
  })),
  mutant("updateService", "sets variables and removes none", (good) => ({
    updateService: (request) => {
      const containers = request.body.containers?.map(({ env, ...container }) => ({
        ...container,
        ...(env && { env: without(env, "remove") }),
      }));
      return good.updateService({ ...request, body: { ...request.body, ...(containers && { containers }) } });
    },
  })),
  mutant("updateService", "keeps the image", (good) => ({
    updateService: (request) => {
      const containers = request.body.containers?.map((container) => without(container, "image"));
      return good.updateService({ ...request, body: { ...request.body, ...(containers && { containers }) } });
    },
  })),
  mutant("updateService", "knows only one spelling of resources", (good) => ({
    updateService: (request) => {
      const containers = request.body.containers?.map((container) => without(container, "resource"));
      return good.updateService({ ...request, body: { ...request.body, ...(containers && { containers }) } });
    },
  })),
  mutant("updateService", "is not partial", (good) => ({
    updateService: (request) =>
      good.updateService({ ...request, body: { binding_domain_name: [], target_instance_size: 1, ...request.body } }),
  })),
  mutant("updateService", "starts every instance anew", (good) => ({
    async updateService(request) {
      await good.updateService(request);
      await good.restartService({ ...request, body: undefined }).catch(() => undefined);
      return {};
    },
  })),
  mutant("updateService", "starts a stopped service", (good) => ({
    async updateService(request) {
      await good.updateService(request);
      await good.startService({ ...request, body: undefined }).catch(() => undefined);
      return {};
    },
  })),
  mutant("startService", "answers and starts nothing", () => ({ startService: accepts })),
  mutant("startService", "starts what runs once more", (good) => ({
    startService: (request) => good.startService(request).catch(() => good.restartService(request)),
  })),
  mutant("stopService", "answers and stops nothing", () => ({ stopService: accepts })),
  mutant("stopService", "deletes the service", (good) => ({
    async stopService(request) {
      await good.deleteService(request);
      return {};
    },
  })),
  mutant("stopService", "stops what is stopped once more", (good) => ({
    stopService: (request) => good.stopService(request).catch(orAccept),
  })),
  ...(["stopService", "restartService", "updateService"] as const).map((op) =>
    mutant(op, "waits until a service runs", (good) => ({
      async [op](request: EngineRequest<typeof op>) {
        const { status } = await good.getService({ ...request, body: undefined });
        if (status === "Starting") throw new Refusal(409, `${request.path.service_name} is starting`);
        return await (good[op] as (asked: typeof request) => Promise<Record<string, never>>)(request); // its own operation
      },
    })),
  ),
  mutant("restartService", "answers and restarts nothing", () => ({ restartService: accepts })),
  mutant("restartService", "asks the service to be there and restarts nothing", (good) => ({
    async restartService(request) {
      const { status } = await good.getService(request);
      if (status !== "Running") throw new Refusal(409, `${request.path.service_name} is ${status}`);
      return {};
    },
  })),
  mutant("restartService", "makes a new service of that name", (good) => ({
    async restartService(request) {
      const service = await good.getService(request);
      await good.deleteService(request);
      const containers = [{ image: "test/web", ...service.containers?.[0] }];
      const body = { containers: containers.map(({ image, command }) => ({ image, ...(command && { command }) })) };
      await good.createService({ ...request, body });
      return {};
    },
  })),
  mutant("restartService", "starts what is stopped", (good) => ({
    restartService: (request) => good.restartService(request).catch(() => good.startService(request)),
  })),
  mutant("getServiceLogs", "leaves out the names of the instances", (good) => ({
    getServiceLogs: async (request) => (await good.getServiceLogs(request)).map(({ log }) => ({ log })),
  })),
  mutant("getServiceLogs", "makes up a name for each line", (good) => ({
    getServiceLogs: async (request) =>
      (await good.getServiceLogs(request)).map(({ log }) => ({ log, instance_name: randomUUID() })),
  })),
];

function orAccept(error: unknown): Record<string, never> {
  if (error instanceof Refusal && error.status === 409) return {};
  throw error;
}

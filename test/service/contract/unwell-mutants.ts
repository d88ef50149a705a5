import { mutant, type Mutant, without } from "./mutant.ts";

/** An engine that doesn't say, or wrongly says, why a workload is unwell. */
export const unwellMutants: readonly Mutant[] = [
  mutant("getService", "never says why a service is unwell", (good) => ({
    getService: async (request) => without(await good.getService(request), "message"),
  })),
  mutant("getService", "says the same message of all", (good) => ({
    getService: async (request) => ({ ...(await good.getService(request)), message: "back-off" }),
  })),
  mutant("getService", "counts a restart once", (good) => ({
    async getService(request) {
      const service = await good.getService(request);
      return { ...service, restart_count: Math.min(1, service.restart_count ?? 0) };
    },
  })),
  mutant("getService", "forgets the exit code", (good) => ({
    async getService(request) {
      const { last_state, ...service } = await good.getService(request);
      return { ...service, ...(last_state && { last_state: without(last_state, "exit_code") }) };
    },
  })),
  mutant("listServices", "leaves out why a service is unwell", (good) => ({
    async listServices(request) {
      const list = await good.listServices(request);
      return { ...list, services: list.services.map((service) => without(service, "message")) };
    },
  })),
  mutant("getJob", "never says how an attempt ended", (good) => ({
    getJob: async (request) => without(await good.getJob(request), "last_state"),
  })),
  mutant("getJob", "counts no restart", (good) => ({
    getJob: async (request) => ({ ...(await good.getJob(request)), restart_count: 0 }),
  })),
];

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Job, Service } from "../../../src/api/schema.ts";
import { makeDataDir } from "../engines/process/support/data-dir.ts";
import { definitionOf } from "./web-service.ts";
import { type ServiceUnderTest, type World, worldOf } from "./world.ts";

/** The reads of all workloads, and the log of each. */
type Seen = {
  readonly web: Service;
  readonly off: Service;
  readonly done: Job;
  readonly lasting: Job;
  readonly webLog: readonly string[];
  readonly doneLog: readonly string[];
};

async function create({ get, workloads, until, domains }: World): Promise<void> {
  const { container, port } = workloads.web;
  const body = {
    containers: [container],
    port_mappings: [{ container_port: port }],
    binding_domain_name: domains("a.example"),
  };
  await get("createService", { name: "web", body });
  await get("createService", { name: "off", body: { ...body, binding_domain_name: [] } });
  await get("createJob", { name: "done", body: { containers: [workloads.lines(3)] } });
  await get("createJob", { name: "lasting", body: { containers: [workloads.lasting] } });
  for (const name of ["web", "off"]) {
    await until(
      () => get("getService", { name }),
      ({ status }) => status === "Running",
    );
  }
  await get("stopService", { name: "off" });
  await until(
    () => get("getService", { name: "off" }),
    ({ status }) => status === "Stopped",
  );
  await until(
    () => get("getJob", { name: "done" }),
    ({ status }) => status?.succeeded === 1,
  );
}

async function see({ get }: World): Promise<Seen> {
  const done = await get("getJob", { name: "done" });
  const [instance = ""] = done.instance_names ?? [];
  const entries = await get("getServiceLogs", { name: "web", query: { size: 1000 } });
  return {
    web: await get("getService", { name: "web" }),
    off: await get("getService", { name: "off" }),
    done,
    lasting: await get("getJob", { name: "lasting" }),
    webLog: entries.map(({ log }) => log),
    doneLog: await get("getJobInstanceLogs", { name: "done", instance }),
  };
}

/** Every engine must bring all of this back on the same data folder: registers the cases with vitest, after one restart. */
export function restartContract(
  name: string,
  open: (dataDir: string) => Promise<ServiceUnderTest>,
  { isSkipped = false }: { readonly isSkipped?: boolean } = {},
): void {
  describe(`a restart of the server, on ${name}`, { timeout: 60_000, skip: isSkipped }, () => {
    let service: ServiceUnderTest | undefined;
    const seen: { before?: Seen; after?: Seen } = {};

    async function opened(dataDir: string): Promise<World> {
      service = await open(dataDir);
      return worldOf(service);
    }

    beforeAll(async () => {
      const dataDir = makeDataDir();
      const first = await opened(dataDir);
      await create(first);
      seen.before = await see(first);
      await service?.close();
      const { until, get, ...second } = await opened(dataDir);
      await until(
        () => get("getService", { name: "web" }),
        ({ status }) => status === "Running",
      );
      await until(
        () => get("getJob", { name: "lasting" }),
        ({ status }) => status?.active === 1,
      );
      seen.after = await see({ until, get, ...second });
    });
    afterAll(() => service?.close());

    test("a running service runs again: same uid, definition, address and domain", () => {
      expect(seen.before?.web.default_domain_name).toEqual(expect.any(String));
      expect(seen.after && definitionOf(seen.after.web)).toEqual(seen.before && definitionOf(seen.before.web));
    });

    test("a stopped service stays stopped, with its address", () => {
      expect(seen.after && definitionOf(seen.after.off)).toEqual(seen.before && definitionOf(seen.before.off));
      expect(seen.after?.off.status).toBe("Stopped");
    });

    test("the log from before is still there", () => {
      expect(seen.before?.webLog.length).toBeGreaterThan(0);
      expect(seen.after?.webLog).toEqual(expect.arrayContaining([...(seen.before?.webLog ?? [])]));
    });

    test("a job that ended is as it was, and is not run again", () => {
      // Its end is told before it is saved, and saving it raises its version.
      const { resourceVersion: before } = seen.before?.done.metadata ?? {};
      const { resourceVersion: after, ...metadata } = seen.after?.done.metadata ?? {};
      expect(Number(after)).toBeGreaterThanOrEqual(Number(before));
      expect({ ...seen.after?.done, metadata: { ...metadata, resourceVersion: before } }).toEqual(seen.before?.done);
      expect(seen.after?.doneLog).toEqual(seen.before?.doneLog);
    });

    test("a job that had not ended is active in the same instance", () => {
      expect(seen.after?.lasting.instance_names).toEqual(seen.before?.lasting.instance_names);
      expect(seen.after?.lasting.status).toMatchObject({
        active: 1,
        startTime: seen.before?.lasting.status?.startTime,
      });
    });
  });
}

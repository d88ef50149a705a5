import { afterEach, describe, expect, test } from "vitest";
import type { Kysely } from "kysely";
import type { Service } from "../../../../src/api/schema.ts";
import type { StateTables } from "../../../../src/service/workloads/state/store.ts";
import { childrenOf, engineProcess, killEngines, readState, stubborn } from "./support/engine-process.ts";
import { makeDataDir } from "./support/data-dir.ts";
import { alive, greet, isAlive, openEngine, pidIn, until, userOf } from "./support/engine-world.ts";
import { onlyInFullRuns } from "../../../support/full-run.ts";

// Each test starts and kills several processes.
onlyInFullRuns();

afterEach(killEngines);

async function deletions(db: Kysely<StateTables>): Promise<number> {
  return (await db.selectFrom("services").select("uid").where("deleting", "=", 1).execute()).length;
}

const web = {
  containers: [{ image: "gantry/hello-web" }],
  port_mappings: [{ container_port: 8080 }],
};

describe("after kill -9 of the engine", () => {
  test("catalogue programs go by themselves", async () => {
    const doomed = await engineProcess(makeDataDir());
    const { default_domain_name: address } = await doomed.create("web", web);
    const pid = await until(async () => pidIn(await greet(address).catch(() => "")), "the web server");

    await doomed.kill();

    await until(async () => !(await isAlive(pid)), "the program to go");
    expect(await isAlive(pid)).toBe(false);
  });

  test("no orphan survives the next start, also one that ignores SIGTERM and has left its group", async () => {
    const dataDir = makeDataDir();
    const doomed = await engineProcess(dataDir);
    await doomed.create("web", web);
    await doomed.create("stubborn", { containers: [stubborn] });
    const running = (wanted: number, what: string) =>
      until(async () => {
        const pids = await childrenOf(dataDir);
        return pids.length === wanted && pids;
      }, what);
    await running(4, "the web server, the runner of the host command, the command and its child");
    // Last, because it ends after four seconds.
    await doomed.createJob("cut", { containers: [{ image: "gantry/batch", command: ["8", "--delay", "500"] }] });
    const doomedPids = await running(5, "the job beside them");
    await doomed.kill();

    const next = await openEngine(dataDir, { allowHostCommands: true, graceMs: 100 });

    const dana = userOf(next.engine);
    expect(await alive(doomedPids)).toEqual([]);
    await dana.reaches("web", "Running");
    await dana.ends("cut");
    expect((await dana.readJob("cut")).status).toMatchObject({ succeeded: 1 });
    await next.close();
  });

  type Seen = { readonly service: Service; readonly old: number; readonly fresh: number };
  const steps: readonly (readonly [string, (seen: Seen) => boolean])[] = [
    ["it is accepted", () => true],
    ["a new instance starts", ({ fresh }) => fresh > 0],
    ["the first new instance is ready", ({ service }) => (service.rollout?.ready ?? 0) > 0],
    ["an old instance has stopped", ({ old }) => old < 2],
    ["all are replaced", ({ old }) => old === 0],
    ["it is saved that all went well", ({ service }) => service.revisions?.[0]?.outcome === "done"],
  ];

  test.each(steps)("a rollout that was cut off when %s is finished by the next engine", async (_, isThen) => {
    const dataDir = makeDataDir();
    const doomed = await engineProcess(dataDir);
    await doomed.create("web", { ...web, target_instance_size: 2 });
    await until(async () => (await doomed.read("web")).status === "Running", "the first version");
    const before = await childrenOf(dataDir);
    await doomed.update("web", { containers: [{ image: "gantry/hello-web:2" }] });
    await until(async () => {
      const [service, now] = [await doomed.read("web"), await childrenOf(dataDir)];
      const old = (await alive(before)).length;
      return isThen({ service, old, fresh: now.filter((pid) => !before.includes(pid)).length });
    }, "that step");
    const doomedPids = [...before, ...(await childrenOf(dataDir))];
    await doomed.kill();

    const next = await openEngine(dataDir);

    const dana = userOf(next.engine);
    const { default_domain_name: address, ...read } = await until(async () => {
      const service = await dana.read("web");
      return service.status === "Running" && service.revisions?.[0]?.outcome === "done" && service;
    }, "the rollout to be done");
    expect(read).toMatchObject({ revision: 2, ready_instances: 2 });
    expect(await greet(address)).toContain("version 2");
    expect(await alive(doomedPids)).toEqual([]);
    expect(await childrenOf(dataDir)).toHaveLength(2);
    await next.close();
  });

  test.each([
    ["as soon as it is accepted", () => true],
    ["when it is stuck", ({ rollout }: Service) => rollout?.state === "stuck"],
  ] as const)("of a broken deploy, %s, the version that was ready runs on all instances again", async (_, isThen) => {
    const dataDir = makeDataDir();
    const doomed = await engineProcess(dataDir);
    await doomed.create("web", { ...web, target_instance_size: 2 });
    await until(async () => (await doomed.read("web")).revisions?.[0]?.outcome === "done", "the first version");
    await doomed.update("web", { containers: [{ image: "gantry/flaky" }] });
    await until(async () => isThen(await doomed.read("web")), "that moment");
    await doomed.kill();

    const next = await openEngine(dataDir);

    const dana = userOf(next.engine);
    const service = await until(async () => {
      const found = await dana.read("web");
      return found.rollout?.state === "stuck" && found.rollout.old_ready === 2 && found;
    }, "the rollout to be stuck again");
    expect(service).toMatchObject({ status: "Failed", ready_instances: 2, rollout: { from: 1, to: 2, ready: 0 } });
    expect(service.revisions?.[0]).not.toHaveProperty("outcome");
    expect(await greet(service.default_domain_name)).toContain("process");
    await next.close();
  });

  test("a deletion that was not over is carried on by the next engine", async () => {
    const dataDir = makeDataDir();
    const doomed = await engineProcess(dataDir);
    await doomed.create("stubborn", { containers: [stubborn] });
    const pids = await until(async () => {
      const found = await childrenOf(dataDir);
      return found.length === 3 && found;
    }, "all processes");
    doomed.beginRemoval("stubborn");
    await until(async () => (await readState(dataDir, deletions)) > 0, "the deletion to be accepted");
    await doomed.kill();

    const next = await openEngine(dataDir, { allowHostCommands: true });

    const dana = userOf(next.engine);
    await until(async () => (await dana.list()).services.length === 0, "the service to be gone");
    expect(await alive(pids)).toEqual([]);
    await next.close();
  });
});

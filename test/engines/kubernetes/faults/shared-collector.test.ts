import { afterAll, describe, expect, test } from "vitest";
import { every, shell } from "../../../support/container-script.ts";
import { because, testCluster } from "../../../support/cluster.ts";
import { startPostgres } from "../../../support/postgres.ts";
import { worldOfProcess } from "../../support/process-world.ts";
import { killServiceProcesses, type ServiceProcess, startServiceProcess } from "../../support/service-process.ts";
import { serviceSettings } from "../support/service-settings.ts";

const cluster = await testCluster();
const { noPods, image, kubeconfig, newNamespace, removeNamespaces } = cluster;
const postgres = noPods === undefined ? await startPostgres() : { missing: noPods };
const missing = "missing" in postgres ? postgres.missing : undefined;

afterAll(async () => {
  killServiceProcesses();
  await removeNamespaces();
  if (!("missing" in postgres)) await postgres.stop();
});

const LINES = 600;
/** A line each 100 ms, so that it still writes when the second replica has been killed and its lease has run out. */
const script = `n=0; ${every(0.1, `[ $n -ge ${LINES} ] || echo line $((n=n+1))`)}`;

describe.skipIf(missing !== undefined)(
  `two replicas with one PostgreSQL${because(missing)}`,
  { concurrent: true },
  () => {
    test("share one log collector: each line is there once and in order, also when each replica was killed on the way", async () => {
      const namespace = await newNamespace("collector");
      const databaseUrl = "missing" in postgres ? "" : postgres.url;
      const settings = [0, 1].map(() => serviceSettings({ kubeconfig, namespace, databaseUrl }));
      const replicas: (ServiceProcess | undefined)[] = await Promise.all(
        settings.map(({ env }) => startServiceProcess(env)),
      );
      const worlds = [0, 1].map((at) => worldOfProcess(() => replicas[at]));
      const [world, other] = worlds;
      if (!world || !other) throw new Error("there are two");
      await world.get("createService", { name: "web", body: { containers: [{ image, command: [...shell(script)] }] } });

      for (const [at, killedAfter] of [LINES / 6, LINES / 2].entries()) {
        const survivor = worlds[1 - at] ?? world;
        await survivor.until(
          () => linesOf(survivor),
          (lines) => lines.includes(`line ${killedAfter}`),
        );
        await replicas[at]?.kill();
        replicas[at] = await startServiceProcess(settings[at]?.env ?? {});
      }
      await world.until(
        () => linesOf(world),
        (lines) => lines.includes(`line ${LINES}`),
      );

      const expected = Array.from({ length: LINES }, (_, at) => `line ${at + 1}`);
      expect(await linesOf(world)).toEqual(expected);
      expect(await linesOf(other)).toEqual(expected);
      await world.get("deleteService", { name: "web" });
      for (const replica of replicas) await replica?.stop();
      for (const each of settings) each.remove();
    });
  },
);

describe.skipIf(noPods !== undefined)(
  `a laptop and production, each with its own store${because(noPods)}`,
  { concurrent: true },
  () => {
    test("both show the log: the laptop reads it live, says who collects, and never takes over, also when production dies", async () => {
      const namespace = await newNamespace("collector");
      const settings = [0, 1].map(() => serviceSettings({ kubeconfig, namespace }));
      const running: (ServiceProcess | undefined)[] = [await startServiceProcess(settings[0]?.env ?? {})];
      const [production, laptop] = [0, 1].map((at) => worldOfProcess(() => running[at]));
      if (!production || !laptop) throw new Error("there are two");
      const body = { containers: [{ image, command: [...shell(script)] }] };
      await production.get("createService", { name: "web", body });
      await production.until(
        () => linesOf(production),
        (lines) => lines.includes("line 50"),
      );

      running[1] = await startServiceProcess(settings[1]?.env ?? {});
      // On a busy machine the first reading can say that Kubernetes took too long.
      const live = await laptop.until(
        () => linesOf(laptop),
        (lines) => lines.includes("line 50"),
      );

      expect(live.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, at) => `line ${at + 1}`));
      expect(live.at(-1)).toMatch(
        /^\[gantry\] Gantry on \S+ collects this log into a store of its own, so it is read live from Kubernetes: /u,
      );
      expect(await pageOf(laptop, { from: 1, size: 3 })).toHaveLength(3);

      await running[0]?.kill();
      await laptop.until(
        () => linesOf(laptop),
        (lines) => (lines.at(-1) ?? "").includes("collected this log into a store of its own and has stopped"),
      );
      running[0] = await startServiceProcess(settings[0]?.env ?? {});
      await production.until(
        () => linesOf(production),
        (lines) => lines.includes(`line ${LINES}`),
      );

      const expected = Array.from({ length: LINES }, (_, at) => `line ${at + 1}`);
      const stored = await linesOf(production);
      // A minute without a collector is noted, and it may have been one.
      expect(stored.filter((line) => !line.startsWith("[gantry] no log was collected from "))).toEqual(expected);
      // It looks at the lease every five seconds.
      const whole = await laptop.until(
        () => linesOf(laptop),
        (lines) => (lines.at(-1) ?? "").includes("collects this log into a store of its own"),
      );
      expect(whole.slice(0, -1)).toEqual(expected);
      await production.get("deleteService", { name: "web" });
      for (const each of running) await each?.stop();
      for (const each of settings) each.remove();
    });
  },
);

async function linesOf(world: ReturnType<typeof worldOfProcess>): Promise<readonly string[]> {
  return await pageOf(world, { size: 1000 });
}

async function pageOf(
  world: ReturnType<typeof worldOfProcess>,
  query: { readonly from?: number; readonly size: number },
): Promise<readonly string[]> {
  const entries = await world.get("getServiceLogs", { name: "web", query });
  return entries.map(({ log }) => log);
}

import { afterAll, describe, expect, test } from "vitest";
import { every, rest } from "../../support/container-script.ts";
import { because, testCluster } from "../../support/cluster.ts";
import { until } from "../../support/until.ts";
import { openLogWorld, storedLines } from "../../service/engines/kubernetes/logs/support/log-world.ts";

const cluster = await testCluster();
afterAll(cluster.removeNamespaces);

/** Keeps a container alive without a process that has to be waited for. */

/** Without notes: on a busy machine the lease can be lost for a moment, and the log says so. */
async function programLines(
  { logs, namespace }: Pick<Awaited<ReturnType<typeof openLogWorld>>, "logs" | "namespace">,
  { uid }: { readonly uid: string },
): Promise<readonly string[]> {
  return (await storedLines(logs, { namespace, uid })).filter((line) => !line.startsWith("[gantry] "));
}

describe.skipIf(cluster.noPods)(`the log collector on a real node${because(cluster.noPods)}`, () => {
  test("a service's lines can be read, of each pod, without asking the pods", async () => {
    const world = await openLogWorld(cluster);
    const web = await world.run("Deployment", `echo hello from $HOSTNAME; ${rest}`, { replicas: 2 });

    await until(async () => (await world.first.log(web.name)).length === 2);

    const lines = await world.first.log(web.name);
    expect(new Set(lines).size).toBe(2);
    expect(lines).toEqual([expect.stringMatching(/^hello from l/u), expect.stringMatching(/^hello from l/u)]);
    await world.remove();
  });

  test("a job's last lines are there after its pod is deleted", async () => {
    const world = await openLogWorld(cluster);
    const job = await world.run("Job", "for i in 1 2 3; do echo line $i; done");
    await until(async () => (await storedLines(world.logs, { ...world, ...job })).length === 3);
    // Until its end is counted, the job would get another pod.
    await until(
      async () =>
        (await world.api.get({ kind: "Job", namespace: world.namespace, name: job.name })).status.succeeded === 1,
    );
    const [pod] = (await world.api.list({ kind: "Pod", namespace: world.namespace }, {})).items;
    const named = { kind: "Pod", namespace: world.namespace, name: pod?.metadata.name ?? "" } as const;

    await world.api.delete(named, { propagation: "Background" });
    await until(async () => (await world.api.list({ kind: "Pod", namespace: world.namespace }, {})).items.length === 0);

    expect(await world.first.jobLog(job.name, named.name)).toEqual(["line 1", "line 2", "line 3"]);
    await world.remove();
  });

  test("a crash loop loses no line: each run's last lines are there, once", async () => {
    const world = await openLogWorld(cluster);
    const script = "for i in $(seq 1 200); do echo $(date +%s) $i; done; echo last words; exit 3";
    const flaky = await world.run("Deployment", script);

    const read = () => programLines(world, flaky);
    await until(async () => (await read()).filter((line) => line === "last words").length >= 3);

    const lines = (await read()).filter((line) => line !== "last words").slice(0, 600);
    expect(lines.map((line) => line.split(" ")[1])).toEqual(
      Array.from({ length: 600 }, (_, at) => String((at % 200) + 1)),
    );
    await world.remove();
  });

  test("lines that were written while no replica ran are collected by the next one, each once", async () => {
    const world = await openLogWorld(cluster);
    const web = await world.run("Deployment", every(0.02, "echo $((i=i+1))"));
    const read = async () => (await programLines(world, web)).map(Number);
    await until(async () => (await read()).length > 20);

    await world.first.stop();
    const before = await read();
    await world.start();
    await until(async () => (await read()).length > before.length + 100);

    const lines = await read();
    expect(lines).toEqual(Array.from({ length: lines.length }, (_, at) => at + 1));
    await world.remove();
  });

  test("two replicas share the work: one collects, and the other goes on when it stops", async () => {
    const world = await openLogWorld(cluster);
    const web = await world.run("Deployment", every(0.02, "echo $((i=i+1))"));
    const read = async () => (await programLines(world, web)).map(Number);
    await until(async () => (await read()).length > 20);
    const second = await world.start();
    await until(() => world.first.collector.isCollecting());
    expect(second.collector.isCollecting()).toBe(false);
    expect(second.collector.problem(world.namespace)).toBeUndefined();

    await world.first.stop();
    await until(() => second.collector.isCollecting());
    const before = (await read()).length;
    await until(async () => (await read()).length > before + 50);

    const lines = await read();
    expect(lines).toEqual(Array.from({ length: lines.length }, (_, at) => at + 1));
    await world.remove();
  });

  test("the log of a deleted service is removed, also when it was deleted while no replica ran", async () => {
    const world = await openLogWorld(cluster);
    const now = await world.run("Deployment", `echo now; ${rest}`);
    const later = await world.run("Deployment", `echo later; ${rest}`);
    const read = (of: { uid: string }) => storedLines(world.logs, { ...world, ...of });
    await until(async () => (await read(now)).length === 1 && (await read(later)).length === 1);
    const remove = (name: string) =>
      world.api.delete({ kind: "Deployment", namespace: world.namespace, name }, { propagation: "Background" });

    await remove(now.name);
    await until(async () => (await read(now)).length === 0);
    expect(await read(later)).toEqual(["later"]);
    await world.first.stop();
    await remove(later.name);
    await world.start();

    await until(async () => (await read(later)).length === 0);
    await world.remove();
  });
});

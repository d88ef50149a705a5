import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { TestCluster } from "../../support/cluster.ts";
import { range, type Range } from "../stats.ts";
import { openBenchEngine } from "./open-engine.ts";

const run = promisify(execFile);
const LONGEST_MS = 120_000;

export type Starts = { readonly kubectl: Range; readonly engine: Range };

/** From the request until the workload runs, one after the other: `kubectl create` and `kubectl wait`, and the engine. */
export async function measureStarts(cluster: TestCluster, reps: number): Promise<Starts> {
  const namespace = await cluster.newNamespace("bench");
  const engine = await openBenchEngine(cluster.kubeconfig, namespace);
  const kubectl = (...args: string[]) => run("kubectl", ["--kubeconfig", cluster.kubeconfig, "-n", namespace, ...args]);
  const command = ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.1; done"];
  const times = { kubectl: new Array<number>(), engine: new Array<number>() };
  await engine.list();
  for (let n = 0; n < reps; n += 1) {
    const since = performance.now();
    await kubectl("create", "deployment", `bare-${n}`, `--image=${cluster.image}`, "--", ...command);
    await kubectl("wait", "--for=condition=Available", `deployment/bare-${n}`, "--timeout=120s");
    times.kubectl.push(performance.now() - since);

    const begun = performance.now();
    await engine.create(`own-${n}`, { image: cluster.image, command });
    while ((await engine.read(`own-${n}`)).status !== "Running") {
      if (performance.now() - begun > LONGEST_MS) throw new Error(`own-${n} doesn't run after ${LONGEST_MS} ms`);
      await pause(10); // between two looks
    }
    times.engine.push(performance.now() - begun);
  }
  await engine.close();
  return { kubectl: range(times.kubectl), engine: range(times.engine) };
}

import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { TestCluster } from "../../support/cluster.ts";
import type { DeployTimes } from "../deploy-times.ts";
import { openBenchEngine } from "./open-engine.ts";

const run = promisify(execFile);
const LONGEST_MS = 120_000;

/** `kubectl set image` and `kubectl rollout status`, and the engine, on two equal Deployments of three instances. */
export async function measureDeploys(cluster: TestCluster, reps: number): Promise<DeployTimes> {
  const namespace = await cluster.newNamespace("bench");
  const engine = await openBenchEngine(cluster.kubeconfig, namespace);
  const kubectl = (...args: string[]) => run("kubectl", ["--kubeconfig", cluster.kubeconfig, "-n", namespace, ...args]);
  const command = ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.1; done"];
  for (const name of ["bare", "own"]) {
    await kubectl("create", "deployment", name, `--image=${cluster.image}`, "--replicas=3", "--", ...command);
    await kubectl("rollout", "status", `deployment/${name}`, "--timeout=120s");
  }
  const [{ name: container = "" } = {}] = (await engine.read("bare")).containers ?? [];
  const times = { tool: new Array<number>(), engine: new Array<number>() };
  for (let n = 0; n < reps; n += 1) {
    const image = n % 2 === 0 ? cluster.otherImage : cluster.image;
    const since = performance.now();
    await kubectl("set", "image", "deployment/bare", `${container}=${image}`);
    await kubectl("rollout", "status", "deployment/bare", "--timeout=120s");
    times.tool.push(performance.now() - since);

    const begun = performance.now();
    await engine.update("own", { containers: [{ image }] });
    while (!isDone(await engine.read("own"), image)) {
      if (performance.now() - begun > LONGEST_MS) throw new Error(`own isn't deployed after ${LONGEST_MS} ms`);
      await pause(10); // between two looks
    }
    times.engine.push(performance.now() - begun);
  }
  await engine.close();
  return times;
}

type Read = Awaited<ReturnType<Awaited<ReturnType<typeof openBenchEngine>>["read"]>>;

function isDone({ status, rollout, containers }: Read, image: string): boolean {
  return status === "Running" && rollout?.state === "done" && containers?.[0]?.image === image;
}

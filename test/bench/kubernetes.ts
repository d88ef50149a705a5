import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { type TestCluster, testCluster } from "../support/cluster.ts";
import { runProgram } from "../support/program.ts";
import { besideTool, besideToolTable, type Pairs, timed } from "./beside-tool.ts";
import { fillNamespace } from "./kubernetes/fill-namespace.ts";
import { measureIdle } from "./kubernetes/idle.ts";
import { type BenchEngine, openBenchEngine } from "./kubernetes/open-engine.ts";
import { machine } from "./machine.ts";
import { table } from "./table.ts";

/** The Kubernetes engine and kubectl side by side, on the cluster of GANTRY_TEST_KUBECONFIG. Only starts and deploys need a node. */

const LONGEST_RUN_MS = 45 * 60_000;
const LONGEST_MS = 120_000;
const MB = 2 ** 20;
const SIZE = { services: 2_000, pods: 3_000 };
const COMMAND = ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.1; done"];

type Place = { readonly cluster: TestCluster; readonly namespace: string };
type Read = Awaited<ReturnType<BenchEngine["read"]>>;

/** Not the synchronous one: it would keep the engine in this process from reading its watches. */
async function kubectl({ cluster, namespace }: Place, ...args: readonly string[]): Promise<string> {
  const all = ["--kubeconfig", cluster.kubeconfig, "-n", namespace, ...args];
  return (await promisify(execFile)("kubectl", all, { maxBuffer: 1024 * MB })).stdout;
}

async function until(engine: BenchEngine, name: string, holds: (read: Read) => boolean): Promise<void> {
  const since = performance.now();
  while (!holds(await engine.read(name))) {
    if (performance.now() - since > LONGEST_MS) throw new Error(`${name} isn't there after ${LONGEST_MS} ms`);
    await pause(10); // between two looks
  }
}

/** From the request until the workload runs: `kubectl create` and `kubectl wait`, and the engine. */
async function starts(place: Place, engine: BenchEngine): Promise<Pairs> {
  const image = place.cluster.image;
  await engine.list();
  return await besideTool({
    async tool(n) {
      await kubectl(place, "create", "deployment", `bare-${n}`, `--image=${image}`, "--", ...COMMAND);
      await kubectl(place, "wait", "--for=condition=Available", `deployment/bare-${n}`, "--timeout=120s");
    },
    async engine(n) {
      await engine.create(`own-${n}`, { image, command: COMMAND });
      await until(engine, `own-${n}`, ({ status }) => status === "Running");
    },
  });
}

/** `kubectl set image` and `kubectl rollout status`, and the engine, on two equal Deployments of three instances. */
async function deploys(place: Place, engine: BenchEngine): Promise<Pairs> {
  const { cluster } = place;
  const rollout = (name: string) => kubectl(place, "rollout", "status", `deployment/${name}`, "--timeout=120s");
  for (const name of ["bare", "own"]) {
    await kubectl(place, "create", "deployment", name, `--image=${cluster.image}`, "--replicas=3", "--", ...COMMAND);
    await rollout(name);
  }
  const [{ name: container = "" } = {}] = (await engine.read("bare")).containers ?? [];
  const imageOf = (n: number) => (n % 2 === 0 ? cluster.otherImage : cluster.image);
  return await besideTool({
    async tool(n) {
      await kubectl(place, "set", "image", "deployment/bare", `${container}=${imageOf(n)}`);
      await rollout("bare");
    },
    async engine(n) {
      const image = imageOf(n);
      await engine.update("own", { containers: [{ image }] });
      const isDone = ({ status, rollout, containers }: Read): boolean =>
        status === "Running" && rollout?.state === "done" && containers?.[0]?.image === image;
      await until(engine, "own", isDone);
    },
  });
}

/** With the time for the text of the answer. */
async function list(engine: BenchEngine): Promise<void> {
  const answer = await engine.list();
  JSON.stringify(answer);
  expectAll(answer.services.length);
}

async function listByKubectl(place: Place): Promise<void> {
  const listed = JSON.parse(await kubectl(place, "get", "deploy", "-o", "json")) as { items: readonly unknown[] }; // a list of kubectl
  expectAll(listed.items.length);
}

function expectAll(found: number): void {
  if (found !== SIZE.services) throw new Error(`${found} services of ${SIZE.services} were listed`);
}

async function lists(place: Place): Promise<readonly (readonly [string, Pairs])[]> {
  const tool = () => listByKubectl(place);
  const warm = await openBenchEngine(place.cluster.kubeconfig, place.namespace);
  await list(warm);
  const cached: number[] = [];
  const first = await besideTool({
    tool,
    async engine() {
      const cold = await openBenchEngine(place.cluster.kubeconfig, place.namespace);
      await list(cold);
      await cold.close();
    },
  });
  for (const _ of first.tool) {
    // After a quiet time it would read through, which is what the first list of an engine measures.
    await list(warm);
    cached.push(await timed(() => list(warm)));
  }
  await warm.close();
  return [
    ["list, from the cache", { tool: first.tool, engine: cached }],
    ["list, the first of an engine", first],
  ];
}

async function main(): Promise<number> {
  const cluster = await testCluster();
  if (cluster.missing !== undefined) throw new Error(cluster.missing);
  try {
    const rows: (readonly [string, Pairs])[] = [];
    if (cluster.noPods === undefined) {
      const small = { cluster, namespace: await cluster.newNamespace("bench") };
      const engine = await openBenchEngine(cluster.kubeconfig, small.namespace);
      rows.push(["create until running", await starts(small, engine)]);
      rows.push(["deploy of 3 instances", await deploys(small, engine)]);
      await engine.close();
    }
    const place = { cluster, namespace: await cluster.newNamespace("bench") };
    process.stderr.write("filling a namespace; the cluster takes about 100 s for the status of 2,000 Deployments\n");
    await fillNamespace(cluster, { namespace: place.namespace, ...SIZE });
    rows.push(...(await lists(place)));
    const { bytes, cpuMs } = await measureIdle(SIZE);
    const head = `Gantry on Kubernetes, ${machine()}; ${SIZE.services} Deployments, ${SIZE.pods} pods`;
    const idle = table([
      ["a minute of doing nothing", "MB", "s of CPU"],
      ["engine", (bytes / MB).toFixed(3), (cpuMs / 1_000).toFixed(2)],
    ]);
    process.stdout.write(`${[head, besideToolTable(rows), idle].join("\n\n")}\n`);
    return 0;
  } finally {
    await cluster.removeNamespaces();
  }
}

const readOptions = () => undefined;
await runProgram({
  name: "The bench",
  longestMs: LONGEST_RUN_MS,
  usage: "",
  readOptions,
  main,
  atExit: () => undefined,
});

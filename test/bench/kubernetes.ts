import { execFile, execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { type TestCluster, testCluster } from "../support/cluster.ts";
import { runProgram } from "../support/program.ts";
import { fillNamespace } from "./kubernetes/fill-namespace.ts";
import { type IdleCost, measureIdle } from "./kubernetes/idle.ts";
import { measureStarts, type Starts } from "./kubernetes/starts.ts";
import { type BenchEngine, openBenchEngine } from "./kubernetes/open-engine.ts";
import { deployTable, type DeployTimes } from "./deploy-times.ts";
import { measureDeploys } from "./kubernetes/deploys.ts";
import { machine } from "./report.ts";
import { range, type Range } from "./stats.ts";
import { table } from "./table.ts";

/**
 * The Kubernetes engine and kubectl side by side, on the cluster of GANTRY_TEST_KUBECONFIG. Only starts need a node. What the
 * engine costs while nothing happens needs no cluster: `--only idle`.
 */

const LONGEST_RUN_MS = 45 * 60_000;
const MB = 2 ** 20;

const usage = `npm run bench:kubernetes -- [options]
  --services N   Deployments (2000)
  --pods N       pods (3000)
  --reps N       repetitions of each list (7)
  --minutes N    minutes of doing nothing (10)
  --only idle    doing nothing alone, for which no cluster is needed
  --only deploys deploys alone
  --json FILE    write the figures to FILE
`;

type Options = {
  readonly services: number;
  readonly pods: number;
  readonly reps: number;
  readonly minutes: number;
  readonly only: "idle" | "deploys" | undefined;
  readonly json?: string;
};

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      services: { type: "string", default: "2000" },
      pods: { type: "string", default: "3000" },
      reps: { type: "string", default: "7" },
      minutes: { type: "string", default: "10" },
      only: { type: "string" },
      json: { type: "string" },
    },
  });
  const { services, pods, reps, minutes, only, json } = values;
  const numbers = { services: Number(services), pods: Number(pods), reps: Number(reps), minutes: Number(minutes) };
  if (only !== undefined && only !== "idle" && only !== "deploys") throw new Error("--only can be idle or deploys");
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} has to be a whole number from 1`);
  }
  return { ...numbers, only, ...(json !== undefined && { json }) };
}

type Place = { readonly cluster: TestCluster; readonly namespace: string };

async function kubectlMs({ cluster, namespace }: Place, services: number): Promise<number> {
  const since = performance.now();
  const args = ["--kubeconfig", cluster.kubeconfig, "-n", namespace, "get", "deploy", "-o", "json"];
  // Not the synchronous one: it would keep the engine in this process from reading its watches.
  const { stdout } = await promisify(execFile)("kubectl", args, { maxBuffer: 1024 * MB });
  const ms = performance.now() - since;
  const { items } = JSON.parse(stdout) as { items: readonly unknown[] }; // a list of kubectl
  if (items.length !== services) throw new Error(`kubectl listed ${items.length} Deployments of ${services}`);
  return ms;
}

/** With the time for the text of the answer. */
async function listMs(engine: BenchEngine, services: number): Promise<number> {
  const since = performance.now();
  const answer = await engine.list();
  JSON.stringify(answer);
  const ms = performance.now() - since;
  if (answer.services.length !== services)
    throw new Error(`the engine listed ${answer.services.length} services of ${services}`);
  return ms;
}

async function lists(place: Place, { services, reps }: Options): Promise<Readonly<Record<string, Range>>> {
  const warm = await openBenchEngine(place.cluster.kubeconfig, place.namespace);
  const times = { kubectl: new Array<number>(), cached: new Array<number>(), first: new Array<number>() };
  await listMs(warm, services);
  for (let n = 0; n < reps; n += 1) {
    times.kubectl.push(await kubectlMs(place, services));
    // After a quiet time it would read through, which is what the first list of an engine measures.
    await listMs(warm, services);
    times.cached.push(await listMs(warm, services));
    const cold = await openBenchEngine(place.cluster.kubeconfig, place.namespace);
    times.first.push(await listMs(cold, services));
    await cold.close();
  }
  await warm.close();
  return { kubectl: range(times.kubectl), cached: range(times.cached), first: range(times.first) };
}

type Memory = { readonly rss: number; readonly used: number };

function memoryOf(way: "engine" | "parsed" | "text", namespace: string): Memory {
  const program = fileURLToPath(new URL("kubernetes-memory.ts", import.meta.url));
  const text = execFileSync(process.execPath, ["--expose-gc", program, way, namespace], { encoding: "utf8" });
  return JSON.parse(text) as Memory; // as kubernetes-memory.ts prints it
}

async function main(options: Options): Promise<number> {
  if (options.only === "idle") {
    const idle = await measureIdle(options);
    process.stdout.write(`${headOf(options)}\n\n${idleTable(idle)}\n`);
    keep(options, { idle });
    return 0;
  }
  const cluster = await testCluster();
  if (cluster.missing !== undefined) throw new Error(cluster.missing);
  try {
    const deploys = cluster.noPods === undefined ? await measureDeploys(cluster, options.reps) : undefined;
    if (options.only === "deploys") {
      process.stdout.write(`${headOf(options)}\n\n${deployLines(deploys)}\n`);
      keep(options, { deploys });
      return 0;
    }
    const place = { cluster, namespace: await cluster.newNamespace("bench") };
    const starts = cluster.noPods === undefined ? await measureStarts(cluster, options.reps) : undefined;
    const empty = memoryOf("engine", await cluster.newNamespace("bench"));
    process.stderr.write("filling a namespace; the cluster takes about 100 s for the status of 2,000 Deployments\n");
    await fillNamespace(cluster, { namespace: place.namespace, ...options });
    const times = await lists(place, options);
    const [engine, parsed, text] = (["engine", "parsed", "text"] as const).map((way) => memoryOf(way, place.namespace));
    const memory = { empty, engine: engine ?? empty, parsed: parsed ?? empty, text: text ?? empty };
    const idle = await measureIdle(options);
    process.stdout.write(`${report(options, { times, memory, starts, deploys, idle })}\n`);
    keep(options, { times, memory, starts, deploys, idle });
    return 0;
  } finally {
    await cluster.removeNamespaces();
  }
}

function keep({ json, ...options }: Options, figures: object): void {
  if (json === undefined) return;
  const all = { machine: machine(), at: new Date().toISOString(), ...options, ...figures };
  writeFileSync(json, `${JSON.stringify(all, undefined, 2)}\n`);
}

function headOf({ services, pods, reps }: Options): string {
  return `Gantry on Kubernetes, ${machine()}; ${services} Deployments, ${pods} pods, ${reps} repetitions`;
}

type Idle = Awaited<ReturnType<typeof measureIdle>>;

function idleTable({ engine, watches }: Idle): string {
  const line = (name: string, { bytes, cpuMs, lists }: IdleCost): string[] => [
    name,
    (bytes / MB).toFixed(3),
    (cpuMs / 1_000).toFixed(2),
    lists.toFixed(1),
  ];
  return table([
    ["a minute of doing nothing", "MB", "s of CPU", "lists"],
    line("engine", engine),
    line("client that only keeps the same watches", watches),
  ]);
}

type Memories = Readonly<Record<"empty" | "engine" | "parsed" | "text", Memory>>;

type Figures = {
  readonly times: Readonly<Record<string, Range>>;
  readonly memory: Memories;
  readonly starts: Starts | undefined;
  readonly deploys: DeployTimes | undefined;
  readonly idle: Idle;
};

function deployLines(deploys: DeployTimes | undefined): string {
  if (!deploys) return "deploy: not measured, the cluster has no node";
  return deployTable(deploys, "kubectl set image, kubectl rollout status");
}

function report(options: Options, { times, memory, starts, deploys, idle }: Figures): string {
  const grown = ({ used }: Memory): number => (used - memory.empty.used) / MB;
  const line = (name: string, held: Memory): string[] => [
    name,
    grown(held).toFixed(1),
    (held.rss / MB).toFixed(0),
    (grown(held) / grown(memory.parsed)).toFixed(2),
  ];
  const listed = timed(times["kubectl"]);
  const started = timed(starts?.kubectl);
  return [
    headOf(options),
    table([
      ["list, ms", "median", "min", "max", "ratio"],
      listed("kubectl get deploy -o json", times["kubectl"]),
      listed("listServices, from the cache", times["cached"]),
      listed("listServices, the first of an engine", times["first"]),
    ]),
    table([
      ["memory, MB", "held", "rss", "ratio"],
      ["engine, empty namespace", "0", (memory.empty.rss / MB).toFixed(0), ""],
      line("engine, all objects in the cache", memory.engine),
      line("the API server's JSON, parsed", memory.parsed),
      line("the API server's JSON, as text", memory.text),
    ]),
    ...(starts
      ? [
          table([
            ["create until running, ms", "median", "min", "max", "ratio"],
            started("kubectl create, kubectl wait", starts.kubectl),
            started("createService, until getService says Running", starts.engine),
          ]),
        ]
      : ["create until running: not measured, the cluster has no node"]),
    deployLines(deploys),
    idleTable(idle),
  ].join("\n\n");
}

/** Rows whose last column is the ratio to the median of `baseline`. */
function timed(baseline: Range | undefined) {
  return (name: string, time: Range | undefined): string[] => {
    const { median = Number.NaN, min = Number.NaN, max = Number.NaN } = time ?? {};
    const ratio = median / (baseline?.median ?? Number.NaN);
    return [name, median.toFixed(0), min.toFixed(0), max.toFixed(0), ratio.toFixed(3)];
  };
}

await runProgram({ name: "The bench", longestMs: LONGEST_RUN_MS, usage, readOptions, main, atExit: () => undefined });

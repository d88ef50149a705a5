/**
 * How soon lines of pods can be read through the API, against `kubectl logs -f` of the same pods at the same time, and
 * how many lines are lost when logs rotate and containers crash. Needs GANTRY_TEST_KUBECONFIG, `kubectl` and a node.
 *
 *   node test/bench/pod-logs.ts [--pods 20] [--seconds 20] [--lines 400000]
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { collectorLimits } from "../../src/service/engines/kubernetes/logs/collector-parts.ts";
import { openLogWorld, storedLines } from "../service/engines/kubernetes/logs/support/log-world.ts";
import { testCluster } from "../support/cluster.ts";

const { values } = parseArgs({
  options: {
    pods: { type: "string", default: "20" },
    seconds: { type: "string", default: "20" },
    lines: { type: "string", default: "400000" },
  },
});
const cluster = await testCluster();
if (cluster.noPods !== undefined) throw new Error(cluster.noPods);
const world = await openLogWorld(cluster, { ...collectorLimits, idleMs: 30_000 });
type Service = Awaited<ReturnType<typeof world.run>>;

/** The node is this machine, and its pods see the same clock: seconds since the start, to a hundredth. */
function uptime(): number {
  return Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

type Delays = Map<string, number>;

function note(delays: Delays, line: string): void {
  const written = Number(line.split(" ")[1]);
  if (line.startsWith("t ") && !delays.has(line)) delays.set(line, Math.max(0, uptime() - written) * 1_000);
}

function followWithKubectl(pods: readonly string[], delays: Delays): ChildProcess[] {
  return pods.map((pod) => {
    const args = ["--kubeconfig", cluster.kubeconfig, "-n", world.namespace, "logs", "-f", "--tail=0", pod];
    const child = spawn("kubectl", args, { stdio: ["ignore", "pipe", "inherit"] });
    createInterface({ input: child.stdout }).on("line", (line) => note(delays, line));
    return child;
  });
}

function report(what: string, delays: Delays): { p50: number; p99: number } {
  const sorted = [...delays.values()].toSorted((left, right) => left - right);
  const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
  say(`${what}: ${sorted.length} lines, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`);
  return { p50, p99 };
}

async function measureDelay(): Promise<void> {
  const count = Number(values.pods);
  const script = `while :; do read u _ < /proc/uptime; echo "t $u $HOSTNAME"; usleep 200000; done`;
  const service = await world.run("Deployment", script, { replicas: count });
  const speakers = async () =>
    new Set((await world.first.log(service.name)).flatMap((line) => /^t \S+ (\S+)$/u.exec(line)?.[1] ?? []));
  while ((await speakers()).size < count) await sleep(200);
  const [viaKubectl, viaApi]: [Delays, Delays] = [new Map(), new Map()];
  const children = followWithKubectl([...(await speakers())], viaKubectl);
  await sleep(3_000); // until all of them are connected
  for (const line of await world.first.log(service.name)) viaApi.set(line, NaN);
  const end = performance.now() + Number(values.seconds) * 1_000;
  while (performance.now() < end) {
    for (const line of await world.first.log(service.name, 200)) note(viaApi, line);
    await sleep(10);
  }
  for (const child of children) child.kill();
  for (const [line, delay] of viaApi) if (Number.isNaN(delay)) viaApi.delete(line);
  const api = report("written → readable through the API", viaApi);
  const kubectl = report("written → kubectl logs -f", viaKubectl);
  say(`ratio: p50 ${(api.p50 / kubectl.p50).toFixed(2)}, p99 ${(api.p99 / kubectl.p99).toFixed(2)}`);
  const notes = (await world.first.log(service.name)).filter((line) => line.startsWith("[gantry]"));
  say(
    `notes: ${notes.length} ${notes[0] ?? ""}; events: ${world.first.events.map(({ message }) => message).join(", ")}`,
  );
  await world.api.delete(named(service), { propagation: "Background" });
}

function named({ name }: Service) {
  return { kind: "Deployment", namespace: world.namespace, name } as const;
}

/** Numbers that are missing or repeated among those of 1 … `count`. */
function lossOf(lines: readonly string[], count: number): string {
  const numbers = lines.flatMap((line) => (line.startsWith("n ") ? [Number(line.split(" ")[1])] : []));
  const missing = count - new Set(numbers).size;
  const notes = lines.filter((line) => line.startsWith("[gantry]"));
  return `${missing} of ${count} lines lost, ${numbers.length - new Set(numbers).size} doubled, notes: ${notes.length} ${notes[0] ?? ""}`;
}

async function measureRotation(): Promise<void> {
  const count = Number(values.lines);
  const text = "x".repeat(90);
  const script = `yes ${text} | head -n ${count} | awk '{ print "n", NR, $1 }'; echo over; while :; do sleep 1; done`;
  const service = await world.run("Deployment", script);
  const began = performance.now();
  const read = () => storedLines(world.logs, { ...world, ...service });
  let lines = await read();
  while (!lines.includes("over") && performance.now() - began < 120_000) {
    await sleep(2_000);
    lines = await read();
  }
  const seconds = (performance.now() - began) / 1_000;
  const mib = (count * 98) / 1024 / 1024;
  say(`rotation: ${mib.toFixed(0)} MiB at once, ${seconds.toFixed(0)} s until stored: ${lossOf(lines, count)}`);
  await world.api.delete(named(service), { propagation: "Background" });
}

async function measureCrashes(): Promise<void> {
  const script = `for i in $(seq 1 500); do echo "n $i"; done; exit 3`;
  const service = await world.run("Deployment", script);
  await sleep(45_000);
  const lines = await storedLines(world.logs, { ...world, ...service });
  const counts = Map.groupBy(lines, (line) => line);
  const runs = counts.get("n 1")?.length ?? 0;
  const incomplete = Array.from({ length: 500 }, (_, at) => counts.get(`n ${at + 1}`)?.length ?? 0);
  const lost = incomplete.reduce((sum, seen) => sum + Math.max(0, runs - seen), 0);
  const doubled = incomplete.reduce((sum, seen) => sum + Math.max(0, seen - runs), 0);
  say(`crash loop: ${runs} runs of 500 lines, ${lost} lines lost, ${doubled} doubled`);
}

try {
  await measureDelay();
  await measureRotation();
  await measureCrashes();
} finally {
  await world.remove();
  await cluster.removeNamespaces();
}

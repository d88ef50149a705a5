/**
 * How soon lines of containers can be read from the log store, against a follow of the daemon's own log of the same
 * containers at the same time. Needs GANTRY_TEST_DOCKER or GANTRY_TEST_PODMAN, and a daemon on this machine, whose
 * containers see the same clock.
 *
 *   node test/bench/container-logs.ts [--containers 20] [--seconds 20]
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { machineClock } from "../../src/platform/clock.ts";
import { addressOf } from "../../src/service/engines/docker/daemon/daemon-address.ts";
import { daemonAt, LOG_CONFIG } from "../../src/service/engines/docker/daemon/daemon-client.ts";
import { followUnitLog } from "../../src/service/engines/docker/logs/unit-log.ts";
import { writeTo } from "../../src/service/workloads/lifecycle/start-unit.ts";
import { dayOf, openLogStore } from "../../src/service/workloads/logs/log-writer.ts";
import { testDaemons, type TestDaemon } from "../support/docker.ts";

const { values } = parseArgs({
  options: { containers: { type: "string", default: "20" }, seconds: { type: "string", default: "20" } },
});
const count = Number(values.containers);
const LABEL = "gantry.bench.logs";
/** Five lines a second with the time at which each was written: seconds since the start, to a hundredth. */
const SCRIPT = `while :; do read u _ < /proc/uptime; echo "t $u $HOSTNAME"; usleep 200000; done`;

function uptime(): number {
  return Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
}

type Delays = Map<string, number>;

function note(delays: Delays, line: string): void {
  const [, written, host] = /t (\S+) (\S+)$/u.exec(line) ?? [];
  const key = `${written} ${host}`;
  if (written !== undefined && !delays.has(key)) delays.set(key, Math.max(0, uptime() - Number(written)) * 1_000);
}

function report(what: string, delays: Delays): void {
  const sorted = [...delays.values()].toSorted((left, right) => left - right);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? NaN).toFixed(0);
  process.stdout.write(`${what}: ${sorted.length} lines, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms\n`);
}

async function start(daemon: TestDaemon): Promise<string> {
  const host = { NetworkMode: "none", LogConfig: LOG_CONFIG };
  const body = { Image: daemon.image, Cmd: ["sh", "-c", SCRIPT], Labels: { [LABEL]: "1" }, HostConfig: host };
  const { Id: id } = (await daemon.must({ method: "POST", path: "/containers/create", body })) as { Id: string }; // Docker's API
  await daemon.must({ method: "POST", path: `/containers/${id}/start` });
  return id;
}

async function measure(daemon: TestDaemon): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-bench-"));
  const api = daemonAt(await addressOf(daemon.host, { isVerified: false }), machineClock);
  const logs = await openLogStore(join(folder, "logs.sqlite"), { onEvent: () => undefined });
  const [leaving, ended] = [new AbortController(), new AbortController()];
  const [stored, followed]: [Delays, Delays] = [new Map(), new Map()];
  const containers: string[] = [];
  for (let at = 0; at < count; at += 1) containers.push(await start(daemon));
  const since = Math.floor(Date.now() / 1_000) + 2;
  const follows = containers.map(async (container, at) => {
    const labels = { workload: "bench", instance: `bench-${at}`, container: 0, generation: 1 };
    const reader = { after: undefined, write: writeTo(logs, labels), signal: leaving.signal };
    const query = { since, follow: true, signal: leaving.signal };
    const lines = createInterface({ input: await api.readLogs(container, query) });
    lines.on("line", (line) => note(followed, line)).on("error", () => undefined);
    await followUnitLog({ clock: machineClock, daemon: api }, { ...reader, container, ended: ended.signal });
  });
  await sleep(4_000); // until all of them are connected
  const read = () => logs.page({ workload: "bench", day: dayOf(new Date()), from: 0, size: 10 * count });
  const old = new Set((await read()).map(({ line }) => line));
  for (const end = performance.now() + Number(values.seconds) * 1_000; performance.now() < end; await sleep(10)) {
    for (const { line } of await read()) if (!old.has(line)) note(stored, line);
  }
  report(`${daemon.title}: written → readable through the log store`, stored);
  report(`${daemon.title}: written → the daemon's own follow`, followed);
  leaving.abort();
  await Promise.all(follows);
  await logs.close();
  rmSync(folder, { recursive: true });
}

for (const daemon of await testDaemons()) {
  if (daemon.missing !== undefined) continue;
  try {
    await measure(daemon);
  } finally {
    await daemon.removeWith(LABEL);
  }
}

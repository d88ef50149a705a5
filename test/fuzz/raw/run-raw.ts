import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../support/free-port.ts";
import { runMain } from "../../support/gantry-process.ts";
import { DEADLINE_MS } from "../../support/until.ts";
import { asUser, openClient } from "../client.ts";
import { type Findings, makeFindings } from "../findings.ts";
import type { Options } from "../options.ts";
import { startService, users } from "../service-process.ts";
import { messageOf } from "../storm.ts";
import { type RawTarget, sendRawRequests } from "./send-raw.ts";
import { pathsOf } from "./targets.ts";

/** How many ports there are: each gets as many raw requests. */
export const RAW_PORTS = 9;

type Opened = { readonly targets: readonly RawTarget[]; readonly stop: () => Promise<void> };

/**
 * Raw requests to every port that a program of ours opens: `npm start` over HTTP, over Socket Mode and with several
 * workspaces, then the workload API alone, with the port of a workload. Each has to live, answer, and stop as it should.
 */
export async function runRaw({ seed }: Options, count: number): Promise<Findings> {
  const findings = makeFindings();
  const each = Math.ceil(count / RAW_PORTS);
  const folder = mkdtempSync(join(tmpdir(), "gantry-raw-"));
  const metricsPort = await freePort();
  const programs = [
    () => openGantry("http", join(folder, "http"), { GANTRY_METRICS_PORT: String(metricsPort) }),
    () => openGantry("socket", join(folder, "socket"), { PLAYGROUND_TRANSPORT: "socket" }),
    // Each of its workspaces would connect an account of its own at this API, which nobody does here.
    () =>
      openGantry("several workspaces", join(folder, "several"), {
        PLAYGROUND_WORKSPACES: "several",
        WORKLOAD_API_URL: "http://127.0.0.1:9",
      }),
    () => openWorkloadApi(join(folder, "service")),
  ];
  let ports = 0;
  try {
    for (const open of programs) {
      const { targets, stop } = await open();
      ports += targets.length;
      for (const target of targets) {
        for (const wrong of await sendRawRequests(target, { seed, count: each })) findings.add(wrong);
      }
      await stop().catch((error: unknown) => findings.add(String(error)));
    }
    if (ports !== RAW_PORTS) findings.add(`${ports} ports got raw requests, not ${RAW_PORTS}`);
  } catch (error) {
    findings.add(messageOf(error));
  } finally {
    for (const child of running) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
  return findings;
}

const running = new Set<ChildProcess>();

async function openGantry(name: string, dataDir: string, env: Readonly<Record<string, string>>): Promise<Opened> {
  const { process: child, output } = runMain({ GANTRY_DATA: dataDir, PORT: "0", PLAYGROUND_PORT: "0", ...env });
  running.add(child);
  let exit: string | undefined;
  child.once("exit", (code, signal) => {
    running.delete(child);
    exit = `Gantry (${name}) ended with ${code ?? signal}, saying:\n${output().slice(-3_000)}`;
  });
  const ended = () =>
    exit ?? (/uncaught/u.test(output()) ? `Gantry (${name}) is ending:\n${output().slice(-3_000)}` : undefined);
  const [bot, page] = await portsIn(output, ended);
  const on = (port: number) => ({ port, host: `127.0.0.1:${port}`, ended });
  const { GANTRY_METRICS_PORT: metrics } = env;
  const botPaths = name === "socket" ? pathsOf.health : pathsOf.bot;
  return {
    targets: [
      { name: `Gantry (${name}), its own port`, ...on(bot), paths: botPaths, well: "/healthz" },
      { name: `Gantry (${name}), the playground`, ...on(page), paths: pathsOf.playground, well: "/" },
      ...(metrics === undefined
        ? []
        : [{ name: "metrics", ...on(Number(metrics)), paths: pathsOf.metrics, well: "/metrics" }]),
    ],
    async stop() {
      if (exit !== undefined) throw new Error(exit);
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      await gone;
      if (child.exitCode !== 0) throw new Error(`after SIGTERM, ${exit}`);
    },
  };
}

async function portsIn(said: () => string, ended: () => string | undefined): Promise<[number, number]> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const bot = /Health: http:\/\/127\.0\.0\.1:(\d+)\/healthz/u.exec(said())?.[1];
    const page = /open http:\/\/localhost:(\d+)/u.exec(said())?.[1];
    if (bot !== undefined && page !== undefined) return [Number(bot), Number(page)];
    const end = ended();
    if (end !== undefined) throw new Error(end);
    if (performance.now() > deadline) throw new Error(`Gantry didn't start in time, saying:\n${said()}`);
    await pause(50);
  }
}

/** The workload API, and a workload that answers at its `service_url`. */
async function openWorkloadApi(dataDir: string): Promise<Opened> {
  const service = await startService({ dataDir });
  const url = new URL(await newServiceUrl(service.url));
  const { ended } = service;
  const api = Number(new URL(service.url).port);
  const workload = Number(url.port);
  return {
    targets: [
      {
        name: "the workload API",
        port: api,
        host: `127.0.0.1:${api}`,
        paths: pathsOf.service,
        well: "/healthz",
        ended,
      },
      { name: "a workload", port: workload, host: url.host, paths: pathsOf.workload, well: "/", ended },
    ],
    async stop() {
      const code = await service.stop();
      if (code !== 0) throw new Error(`the service did not stop as it should: ${ended() ?? code}`);
    },
  };
}

const hello = {
  target_instance_size: 2,
  containers: [{ image: "gantry/hello-web" }],
  port_mappings: [{ container_port: 8080 }],
};

async function newServiceUrl(url: string): Promise<string> {
  const client = openClient(url, 1);
  const [user] = users;
  const path = "/v1/regions/us/services/hello";
  const made = asUser(user, "POST", path);
  const headers = { ...made.headers, "Content-Type": "application/json" };
  await client.send({ ...made, headers, body: Buffer.from(JSON.stringify(hello)) });
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const { body } = await client.send(asUser(user, "GET", path));
    const address = /"service_url":"([^"]+)"/u.exec(body)?.[1] ?? "";
    const found = `http://${address}/`;
    const isThere =
      address !== "" &&
      (await fetch(found)
        .then(({ ok }) => ok)
        .catch(() => false));
    if (isThere) {
      client.close();
      return found;
    }
    if (performance.now() > deadline) throw new Error(`the workload didn't answer in time: ${body.slice(0, 500)}`);
    await pause(100);
  }
}

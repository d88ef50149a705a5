import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, test } from "vitest";
import { inherited } from "../support/gantry-process.ts";
import { runToEnd } from "../support/gantry-runs.ts";
import { until } from "../support/until.ts";

const gantry = resolve(import.meta.dirname, "../../src/gantry.js");
const folders: string[] = [];
const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "gantry-service-"));
  folders.push(folder);
  return folder;
}

function start(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [gantry, "service"], {
    env: { ...inherited, SERVICE_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const exit = once(child, "exit").then(([code]: unknown[]) => {
    running.delete(child);
    return code;
  });
  return { child, exit };
}

/** A start that can't succeed. */
const failed = (env: Readonly<Record<string, string>>) =>
  runToEnd("bin/service.ts", [], { GANTRY_DATA: newFolder(), SERVICE_PORT: "0", ...env });

/** What the service says until it is ready: its address, and the token when it shows one. */
async function ready({ child }: ReturnType<typeof start>) {
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    lines.push(line);
    if (line.startsWith("Press Ctrl-C")) break;
  }
  const said = lines.join("\n");
  const url = /listening on (\S+)/.exec(said)?.[1] ?? "";
  const token = /Authorization: token (\S+)'/.exec(said)?.[1] ?? "";
  const headers = { username: "gantry", Authorization: `token ${token}` };
  return { said, url, token, headers };
}

describe("the service alone", () => {
  test("tells at a port of its own what it did, and its log is for a terminal when asked", async () => {
    const env = { GANTRY_DATA: newFolder(), GANTRY_METRICS_PORT: "0", LOG_FORMAT: "pretty" };
    const { child, exit } = start(env);
    let log = "";
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (log += chunk));
    const { url, headers } = await ready({ child, exit });
    await until(() => log.includes("metrics are on"));
    expect(log).not.toContain("{");
    const port = /metricsPort\D+(\d+)/u.exec(log)?.[1];

    await fetch(`${url}/v1/regions/us/services`, { headers });
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

    expect(metrics).toMatch(/^gantry_service_requests_total\{operation="listServices",status="200"\} 1$/mu);
    child.kill("SIGTERM");
    expect(await exit).toBe(0);
  });

  test("makes a user once, answers over HTTP, stops cleanly, and has its services again afterwards", async () => {
    const env = { GANTRY_DATA: newFolder() };
    chmodSync(env.GANTRY_DATA, 0o755);
    const first = start(env);
    const { said, url, token, headers } = await ready(first);
    const service = `${url}/v1/regions/us/services/web`;
    const body = JSON.stringify({ containers: [{ image: "gantry/worker" }], target_instance_size: 0 });
    const json = { ...headers, "Content-Type": "application/json" };

    const health = await fetch(`${url}/healthz`);
    const created = await fetch(service, { method: "POST", headers: json, body });
    const stranger = await fetch(service);

    expect([health.status, created.status, stranger.status]).toEqual([200, 200, 401]);
    expect(await health.json()).toMatchObject({
      status: "ok",
      engine: { name: "process", regions: [{ name: "us", jobs: true }, {}, {}] },
    });
    expect(said).toContain("Created the user gantry.");
    expect(token).toHaveLength(48);
    first.child.kill("SIGTERM");
    expect(await first.exit).toBe(0);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow("fetch failed");
    const written = readdirSync(env.GANTRY_DATA, { recursive: true, encoding: "utf8" });
    expect(written).toContain("service/state.sqlite");
    expect(written.filter((name) => (statSync(join(env.GANTRY_DATA, name)).mode & 0o077) !== 0)).toEqual([]);

    const second = start(env);
    const again = await ready(second);
    expect(again.said).not.toContain(token);
    const read = await fetch(`${again.url}/v1/regions/us/services/web`, { headers });
    expect(await read.json()).toMatchObject({ name: "web", target_instance_size: 0 });
    second.child.kill("SIGINT");
    expect(await second.exit).toBe(0);
  });

  test("says which variable takes another port when the port is in use, and makes nothing", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo; // it listens on a host and a port

    const { code, out, err } = await failed({ SERVICE_PORT: String(port) });

    expect(code).toBe(1);
    expect(err).toContain(`The port ${port} of 127.0.0.1 is in use.`);
    expect(err).toContain("set SERVICE_PORT to another port");
    expect(out).toBe("");
    other.close();
  });

  test("says which variable takes another address when the host isn't this machine's, and makes nothing", async () => {
    expect(await failed({ SERVICE_HOST: "192.0.2.1" })).toEqual({
      code: 1,
      out: "",
      err: "192.0.2.1 isn't an address of this machine. Set SERVICE_HOST to one of them, e.g. SERVICE_HOST=127.0.0.1.\n",
    });
  });

  test("does not start half with a wrong variable", async () => {
    const { code, err } = await failed({ SERVICE_USERS: "nobody" });

    expect(err).toContain("- SERVICE_USERS must be pairs like dana:TOKEN,alex:TOKEN");
    expect(code).toBe(1);
  });
});

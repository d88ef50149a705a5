import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { inherited } from "../../support/gantry-process.ts";
import { idleConnection } from "../../support/raw-http.ts";
import { until } from "../../support/until.ts";

const script = resolve(import.meta.dirname, "../../../src/bin/service.ts");
const token = "dana-token-0123456789";

/** The service in a process of its own that may have 128 files open. */
async function limitedService() {
  const dataDir = mkdtempSync(join(tmpdir(), "gantry-idle-"));
  const child = spawn("sh", ["-c", `ulimit -n 128 && exec "$0" "$1"`, process.execPath, script], {
    env: { ...inherited, SERVICE_PORT: "0", GANTRY_DATA: dataDir, SERVICE_USERS: `dana:${token}` },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await exited;
    rmSync(dataDir, { recursive: true, force: true });
  });
  let url = "";
  for await (const line of createInterface({ input: child.stdout })) {
    url ||= /listening on (\S+)/u.exec(line)?.[1] ?? "";
    if (line.startsWith("Press Ctrl-C")) break;
  }
  const headers = { username: "dana", Authorization: `token ${token}`, "Content-Type": "application/json" };
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${url}/v1/regions/us/${path}`, { ...init, headers: { ...headers, connection: "close" } });
  return { ask, port: Number(new URL(url).port), hasEnded: () => child.exitCode !== null || child.signalCode !== null };
}

test("200 connections without a token, at a limit of 128 open files, neither end the service nor keep its users out", async () => {
  const { ask, port, hasEnded } = await limitedService();
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });

  for (let count = 0; count < 200; count += 1) sockets.push(await idleConnection(port));
  // With a port it runs as soon as that answers; without one only after five seconds.
  const body = JSON.stringify({
    containers: [{ image: "gantry/hello-web" }],
    port_mappings: [{ container_port: 8080 }],
    target_instance_size: 1,
  });
  const created = await ask("services/web", { method: "POST", body });
  const lists = [];
  for (let count = 0; count < 3; count += 1) lists.push((await ask("services")).status);

  expect(created.status).toBe(200);
  expect(new Set(lists)).toEqual(new Set([200]));
  await until(async () => {
    const service = Object(await (await ask("services/web")).json());
    return service.status === "Running";
  });
  expect(hasEnded()).toBe(false);
});

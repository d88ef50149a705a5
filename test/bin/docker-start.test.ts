import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { inherited } from "../support/gantry-process.ts";
import { runToEnd } from "../support/gantry-runs.ts";
import { fakeDaemon } from "../service/engines/docker/support/fake-daemon.ts";

const folder = mkdtempSync(join(tmpdir(), "gantry-docker-start-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const settings = { HOME: folder, SERVICE_ENGINE: "docker", SERVICE_PORT: "0", GANTRY_DATA: join(folder, "data") };

function service(env: Readonly<Record<string, string>>) {
  return spawn(process.execPath, [resolve(import.meta.dirname, "../../src/bin/service.ts")], {
    env: { ...inherited, ...settings, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** What it says until it is ready. */
async function greeting(child: ReturnType<typeof service>): Promise<string> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.startsWith("Press Ctrl-C")) break;
  }
  return lines.join("\n");
}

async function stopped(child: ReturnType<typeof service>): Promise<unknown> {
  child.kill("SIGTERM");
  const [code]: unknown[] = await once(child, "exit");
  return code;
}

test("npm run service says which daemon it uses, stays on it, and says when the operator chooses another", async () => {
  await using docker = await fakeDaemon();
  await using other = await fakeDaemon();

  const first = service({ DOCKER_HOST: docker.host });
  expect(await greeting(first)).toMatch(
    new RegExp(
      `^Docker 20\\.10\\.24 at ${docker.host}\n[\\s\\S]*/v1/regions/us/services[\\s\\S]*Containers run on\\.$`,
      "u",
    ),
  );
  expect(await stopped(first)).toBe(0);

  const moved = service({ DOCKER_HOST: other.host });
  const said = await greeting(moved);
  expect(said).toContain(`WARNING: these workloads ran on the daemon at ${docker.host} until now`);
  expect(said).toMatch(new RegExp(`docker -H ${docker.host} ps --filter label=gantry\\.owner=[0-9a-f]{16}`, "u"));
  await stopped(moved);

  await other.stop();
  const { code, err } = await runToEnd("bin/service.ts", [], settings);
  expect(err).toBe(
    "Nothing was started: the workloads of this data folder run on a daemon that can't be used. Start it. To run them " +
      `on another one, set DOCKER_HOST.\n- ${other.host} (used before): there is no such socket\n`,
  );
  expect(code).toBe(1);
});

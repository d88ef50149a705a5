import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { inherited } from "../support/gantry-process.ts";
import { runToEnd } from "../support/gantry-runs.ts";
import { writtenKubeconfig } from "../support/written-kubeconfig.ts";

const folder = mkdtempSync(join(tmpdir(), "gantry-kube-start-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const programs = { "npm start": [], "npm run service": ["service"] } as const;

/** What a program says that can't start. Its data folder must stay without workloads. */
async function failed(program: keyof typeof programs, env: Readonly<Record<string, string>>) {
  const dataDir = mkdtempSync(join(folder, "data-"));
  const ended = await runToEnd("main.ts", programs[program], {
    HOME: folder,
    SERVICE_ENGINE: "kubernetes",
    GANTRY_DATA: dataDir,
    ...ports,
    ...env,
  });
  return { ...ended, began: existsSync(join(dataDir, "service", "state.sqlite")) };
}

const ports = { SERVICE_PORT: "0", PORT: "0", PLAYGROUND_PORT: "0" };

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  server.close();
  await once(server, "close");
  return port;
}

// Both open the engine with the same function, so one program shows the other errors.
describe.each(["npm start", "npm run service"] as const)("%s with SERVICE_ENGINE=kubernetes", (program) => {
  test("names the cluster that nobody answers at, and what to do", async () => {
    const server = `http://127.0.0.1:${await freePort()}`;

    const { err, out, code, began } = await failed(program, { KUBECONFIG: writtenKubeconfig(folder, server) });

    expect(err).toContain(`Region prod: couldn't read the version of the cluster at ${server} (context prod): `);
    expect(err).toContain("ECONNREFUSED");
    expect(err).toContain("Start the cluster, or choose another context. Read: KUBECONFIG");
    expect(err).toContain("Nothing was started.");
    expect({ code, began, listens: /listening|running/u.test(out) }).toEqual({
      code: 1,
      began: false,
      listens: false,
    });
  });
});

test("npm run service says that there is no kubeconfig, and how to choose a cluster", async () => {
  const { err, code } = await failed("npm run service", {});

  expect(err).toContain("Nothing was started: there is no kubeconfig: KUBECONFIG isn't set");
  expect(err).toContain("`kubectl config use-context NAME`, or set SERVICE_CLUSTERS to a file of clusters.");
  expect(code).toBe(1);
});

test("npm start on a cluster says what it found, and creates no demo there", async () => {
  const methods = new Set<string>();
  const server = createServer((request, response) => {
    methods.add(request.method ?? "");
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ gitVersion: "v1.20.2", metadata: { resourceVersion: "1" }, items: [] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  const dataDir = mkdtempSync(join(folder, "data-"));
  const child = spawn(process.execPath, [resolve(import.meta.dirname, "../../src/main.ts")], {
    cwd: dataDir,
    env: {
      ...inherited,
      HOME: folder,
      SERVICE_ENGINE: "kubernetes",
      GANTRY_DATA: dataDir,
      ...ports,
      KUBECONFIG: writtenKubeconfig(folder, `http://127.0.0.1:${port}`),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    let out = "";
    for await (const chunk of child.stdout) {
      out += String(chunk);
      if (out.includes("open http://localhost")) break;
    }

    expect(out).toContain(
      `Region prod: context prod (http://127.0.0.1:${port}, v1.20.2), namespace shop: 0 services, 0 jobs`,
    );
    expect(out).toContain("a workload API on your Kubernetes cluster: what you change there is real.");
    expect(out).not.toContain("restart web");
    expect(existsSync(join(dataDir, "demo-created"))).toBe(false);
    expect([...methods].filter((method) => method !== "GET" && method !== "")).toEqual([]);
  } finally {
    child.kill("SIGKILL");
    server.closeAllConnections();
    server.close();
  }
});

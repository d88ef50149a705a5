import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { machineClock } from "../../../../../src/platform/clock.ts";
import { readServiceConfig } from "../../../../../src/service/config.ts";
import { writtenKubeconfig } from "../../../../support/written-kubeconfig.ts";

const folder = mkdtempSync(join(tmpdir(), "gantry-kube-refused-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Why `npm run service` doesn't start with these variables. */
async function refusal(env: Readonly<Record<string, string>>): Promise<string> {
  const dataDir = mkdtempSync(join(folder, "data-"));
  const read = readServiceConfig({ HOME: folder, SERVICE_ENGINE: "kubernetes", GANTRY_DATA: dataDir, ...env }, dataDir);
  if ("problems" in read) return read.problems.join("\n");
  const users = (read.config.users ?? [{ username: "gantry" }]).map(({ username }) => username);
  try {
    const { close } = await read.config.engine.open({ clock: machineClock, dataDir, users, onEvent: () => undefined });
    await close({ keepWorkloads: true });
    return "it started";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function clustersFile(content: string): string {
  const path = join(mkdtempSync(join(folder, "file-")), "clusters.yaml");
  writeFileSync(path, content);
  return path;
}

/** An API server that answers every path in one way. */
async function answering(status: number, body: object) {
  const server = createServer((_, response) => {
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: async () => void server.close() };
}

test("lists the mistakes of its file, and says when there is none", async () => {
  const path = clustersFile("regions:\n  us: { namespace: shop, adpot: all }\n");

  const wrong = await refusal({ SERVICE_CLUSTERS: path });
  const missing = await refusal({ SERVICE_CLUSTERS: join(folder, "none.yaml") });

  expect(wrong).toContain(
    `Nothing was started. Correct ${path}:\n- regions.us.adpot is no setting. Did you mean adopt?`,
  );
  expect(missing).toContain("SERVICE_CLUSTERS can't be read (ENOENT");
});

test("refuses variables of the process engine, and a pod's account outside of a pod", async () => {
  const variables = await refusal({ SERVICE_REGIONS: "us", SERVICE_USER_INSTANCES: "5" });
  const outside = await refusal({
    SERVICE_CLUSTERS: clustersFile("regions:\n  us: { kubeconfig: in-cluster, namespace: shop, jobs: true }\n"),
  });

  expect(variables).toContain(
    "SERVICE_REGIONS needs SERVICE_ENGINE=process or docker. The regions of Kubernetes are those of",
  );
  expect(variables).toContain(
    "SERVICE_USER_INSTANCES needs SERVICE_ENGINE=process or docker. Kubernetes has its own quotas",
  );
  expect(outside).toContain(
    "Region us: this process doesn't run in a pod of a cluster. Read: the pod's own service account.",
  );
});

test("says what its account may not list, without its token", async () => {
  const message = 'deployments.apps is forbidden: User "u" cannot list resource "deployments" in API group "apps"';
  await using server = await answering(403, { kind: "Status", message, reason: "Forbidden", code: 403 });

  const err = await refusal({
    SERVICE_CLUSTERS: clustersFile(
      `regions:\n  us: { kubeconfig: ${writtenKubeconfig(folder, server.url)}, namespace: shop, jobs: true }\n`,
    ),
  });

  expect(err).toContain(message);
  expect(err).toContain("Check the credentials of this context");
  expect(err).not.toContain("secret-token-of-u");
});

test("says why the exec plugin of the kubeconfig gives no credentials, and what to do", async () => {
  const dir = mkdtempSync(join(folder, "plugin-"));
  const path = join(dir, "config");
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    interactiveMode: "Never",
    command: "sh",
    args: ["-c", "echo 'The session has ended.' >&2; exit 4"],
  };
  const kubeconfig = {
    clusters: [{ name: "c", cluster: { server: "http://127.0.0.1:1" } }],
    users: [{ name: "u", user: { exec } }],
    contexts: [{ name: "prod", context: { cluster: "c", user: "u" } }],
    "current-context": "prod",
  };
  writeFileSync(path, JSON.stringify(kubeconfig));

  const err = await refusal({
    SERVICE_CLUSTERS: clustersFile(`regions:\n  us: { kubeconfig: ${path}, namespace: shop, jobs: true }\n`),
  });

  expect(err).toContain(
    "(context prod): the exec plugin sh failed with exit code 4: The session has ended. Run it in a",
  );
});

test("two regions of one namespace, and two users of one context, are refused", async () => {
  await using server = await answering(200, { gitVersion: "v1.20.2", metadata: {}, items: [] });
  const path = writtenKubeconfig(folder, server.url);
  const region = `{ kubeconfig: ${path}, namespace: shop, jobs: true }`;

  const twice = await refusal({
    SERVICE_CLUSTERS: clustersFile(`regions:\n  us: ${region}\n  eu: ${region}\n`),
  });
  const users = "dana:0123456789abcdef,alex:fedcba9876543210";
  // The client reads it from the process.
  vi.stubEnv("KUBECONFIG", path);
  const shared = await refusal({ SERVICE_USERS: users });
  vi.unstubAllEnvs();

  expect(twice).toContain(
    `The regions us and eu are the same namespace shop of ${server.url}: give one of them another`,
  );
  expect(shared).toContain("2 users would share one namespace. Either keep one user, or write the clusters");
}, 60_000);

test("a namespace that isn't there is named, also where lists of it are just empty", async () => {
  const server = createServer((request, response) => {
    const isLookedAt = request.url?.split("?")[0] === "/api/v1/namespaces/shop";
    const missing = { kind: "Status", status: "Failure", reason: "NotFound", message: 'namespaces "shop" not found' };
    const empty = { gitVersion: "v1.34.0", metadata: { resourceVersion: "1" }, items: [] };
    response.writeHead(isLookedAt ? 404 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(isLookedAt ? missing : empty));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  const path = writtenKubeconfig(folder, `http://127.0.0.1:${port}`);

  const err = await refusal({
    SERVICE_CLUSTERS: clustersFile(`regions:\n  us: { kubeconfig: ${path}, namespace: shop, jobs: true }\n`),
  });
  server.close();
  server.closeAllConnections();

  expect(err).toBe(
    `Nothing was started.\n- Region us: the cluster at http://127.0.0.1:${port} has no namespace shop. ` +
      "Create it with `kubectl create namespace shop`, or name another one.",
  );
});

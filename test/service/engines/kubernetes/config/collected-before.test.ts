import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readServiceConfig } from "../../../../../src/service/config.ts";
import { openFakeApiServer } from "../support/fake-api-server.ts";
import { deployment, pod } from "../support/sent-objects.ts";
import { BEGINNING, testClock } from "../../../../support/test-clock.ts";

type Opening = {
  readonly logs?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
};

/** Starts the workload API on a cluster with the service web, with what an earlier version that collected logs had. */
async function start({ logs, env = {}, files = [] }: Opening) {
  const dir = mkdtempSync(join(tmpdir(), "gantry-collected-"));
  const clock = testClock();
  const server = await openFakeApiServer({
    podLog: (_, response) => void response.writeHead(200).end(`${BEGINNING.toISOString()} started\n`),
  });
  const { kind: _, ...web } = deployment("web", { metadata: { creationTimestamp: BEGINNING.toISOString() } });
  const { kind: __, ...running } = pod("web-1", { of: { kind: "Deployment", name: "web" } });
  server.objects.put("deployments", "shop", web);
  server.objects.put("pods", "shop", running);
  writeFileSync(join(dir, "kubeconfig"), server.kubeConfig().exportConfig());
  const clusters = join(dir, "clusters.yaml");
  const region = `kubeconfig: kubeconfig, namespace: shop, jobs: true, adopt: all, podSecurity: none${logs === undefined ? "" : `, logs: ${logs}`}`;
  writeFileSync(clusters, `regions: { us: { ${region} } }`);
  for (const file of files) writeFileSync(join(dir, file), "");
  const read = readServiceConfig({ SERVICE_ENGINE: "kubernetes", SERVICE_CLUSTERS: clusters, ...env }, dir);
  if ("problems" in read) throw new Error(read.problems.join(" "));
  const opened = await read.config.engine.open({ clock, dataDir: dir, users: ["dana"], onEvent: () => undefined });
  onTestFinished(async () => {
    await opened.close({ keepWorkloads: true });
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  return {
    dir,
    server,
    /** What the operator reads, without what was found in the cluster. */
    warnings: opened.found.filter((line) => !line.includes(", namespace shop:")),
    log: async () =>
      await opened.engine.getServiceLogs({
        path: { region: "us", service_name: "web" },
        query: {},
        user: { username: "dana" },
        body: undefined,
        signal: AbortSignal.timeout(20_000),
      }),
  };
}

test("a region without a word about logs reads them when somebody asks, and writes nothing to the cluster", async () => {
  const { server, warnings, log } = await start({});

  expect(await log()).toEqual([{ instance_name: "web-1", log: "started" }]);
  expect(warnings).toEqual([]);
  expect(
    server.requests.filter(({ verb }) => !["list", "watch"].includes(verb)).map(({ resource }) => resource),
  ).toEqual(["pods/log"]);
});

test("`logs: collector` of an earlier version starts, reads live, and says what to write instead", async () => {
  const { warnings, log } = await start({ logs: "collector" });

  expect(await log()).toEqual([{ instance_name: "web-1", log: "started" }]);
  expect(warnings).toEqual([
    "Region us: logs: collector is no longer possible, so logs are read live from Kubernetes. Write logs: live into " +
      "SERVICE_CLUSTERS, or read them from Loki: see docs/kubernetes-logs.md.",
  ]);
});

test("the log database of an earlier version isn't asked for, and each of its variables is named", async () => {
  const url = "postgres://gantry:pw@127.0.0.1:1/logs";
  const { warnings } = await start({ env: { SERVICE_DATABASE_URL: url, SERVICE_DATABASE_TLS: "verify" } });

  expect(warnings).toEqual([
    "WARNING: SERVICE_DATABASE_URL is set, but Gantry doesn't read it any more. Logs are no longer collected, but read " +
      "live or from Loki. Unset it, and drop the schema gantry_logs of that database.",
    "WARNING: SERVICE_DATABASE_TLS is set, but Gantry doesn't read it any more. Logs are no longer collected, but read " +
      "live or from Loki. Unset it.",
  ]);
});

test("the file of an earlier version is kept, and named", async () => {
  const { dir, warnings } = await start({ files: ["kubernetes-logs.sqlite"] });

  const file = join(dir, "kubernetes-logs.sqlite");
  expect(warnings).toEqual([
    `Gantry doesn't collect logs any more, and doesn't read ${file}: delete it, with its -wal and -shm.`,
  ]);
  expect(existsSync(file)).toBe(true);
});

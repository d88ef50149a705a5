import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { machineClock } from "../../src/platform/clock.ts";
import { readServiceConfig } from "../../src/service/config.ts";
import { postgresListener, SSL_REQUEST, STARTUP_3_0 } from "../support/postgres-listener.ts";
import { openFakeApiServer } from "./engines/kubernetes/support/fake-api-server.ts";

/** Starts the service on a cluster that answers, with these settings of its log database; what it says when it gives up. */
async function startFails(env: Readonly<Record<string, string>>): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "gantry-log-tls-"));
  const server = await openFakeApiServer();
  onTestFinished(async () => {
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  writeFileSync(join(dir, "kubeconfig"), server.kubeConfig().exportConfig());
  const clusters = join(dir, "clusters.yaml");
  writeFileSync(clusters, "regions: { us: { kubeconfig: kubeconfig, namespace: shop, jobs: true } }");
  const read = readServiceConfig({ SERVICE_ENGINE: "kubernetes", SERVICE_CLUSTERS: clusters, ...env }, dir);
  if ("problems" in read) return read.problems.join(" ");
  const parts = { clock: machineClock, dataDir: dir, users: ["dana"], onEvent: () => undefined };
  return await read.config.engine.open(parts).then(
    () => "it started",
    (error: Error) => error.message,
  );
}

test.each([
  ["?sslmode=verify-full", {}],
  ["?sslmode=require", {}],
  ["", { SERVICE_DATABASE_TLS: "verify" }],
])("a log database with %s and %o is never sent a word in clear text", async (query, env) => {
  const { port, codes } = await postgresListener({ port: 0 });

  const said = await startFails({
    SERVICE_DATABASE_URL: `postgres://gantry:pw@127.0.0.1:${port}/logs${query}`,
    ...env,
  });

  expect(codes).toEqual([SSL_REQUEST]);
  expect(said).toContain("it doesn't support TLS, which the settings require");
  expect(said).not.toContain("pw");
});

test.each([["?sslmode=disable"], [""]])("clear text is for URLs that ask for it: %s", async (query) => {
  const { port, codes } = await postgresListener({ port: 0 });

  await startFails({ SERVICE_DATABASE_URL: `postgres://gantry:pw@127.0.0.1:${port}/logs${query}` });

  expect(codes).toEqual([STARTUP_3_0]);
});

const url = "postgres://gantry:pw@db.example/logs";

test.each([
  [
    { SERVICE_DATABASE_URL: `${url}?sslmode=verify-full`, SERVICE_DATABASE_TLS: "off" },
    "SERVICE_DATABASE_TLS contradicts the sslmode in SERVICE_DATABASE_URL: remove SERVICE_DATABASE_TLS to use sslmode.",
  ],
  [
    { SERVICE_DATABASE_URL: `${url}?sslmode=allow` },
    /^SERVICE_DATABASE_URL has an unsupported sslmode\. Use sslmode=verify-full/u,
  ],
  [
    { SERVICE_DATABASE_TLS: "verify" },
    "SERVICE_DATABASE_TLS needs SERVICE_DATABASE_URL. Set it, or unset SERVICE_DATABASE_TLS.",
  ],
  [
    { SERVICE_DATABASE_URL: `${url}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem` },
    "The certificate in SERVICE_DATABASE_CA or sslrootcert can't be read: /nowhere/ca.pem (ENOENT). Nothing was started. Correct the path.",
  ],
])("settings that can't be used are said by their names: %o", async (env, sentence) => {
  expect(await startFails(env as Record<string, string>)).toMatch(sentence); // plain strings
});

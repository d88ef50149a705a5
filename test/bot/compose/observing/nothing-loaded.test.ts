import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { inherited } from "../../../support/gantry-process.ts";
import { until } from "../../../support/until.ts";

/** Writes the address of each module that is loaded, by `import` or `require`, to the file LOADED. */
const watch = `data:text/javascript,${encodeURIComponent(`
  import { appendFileSync } from "node:fs";
  import { registerHooks } from "node:module";
  registerHooks({ load(url, context, next) {
    appendFileSync(process.env.LOADED, url + "\\n");
    return next(url, context);
  } });
`)}`;

/** The packages that Node loads with these arguments, until it runs. */
async function loadedBy(args: readonly string[], env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-loaded-"));
  const loaded = join(folder, "loaded");
  const child = spawn(process.execPath, ["--import", watch, ...args], {
    env: { ...inherited, PORT: "0", GANTRY_DATA: folder, LOADED: loaded, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  try {
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
    await until(() => /\/healthz|^Press Ctrl-C|^observes$/mu.test(output));
    const urls = readFileSync(loaded, "utf8").split("\n");
    const packages = urls.flatMap(
      (url) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/u.exec(url)?.[1] ?? [],
    );
    return [...new Set(packages)];
  } finally {
    child.kill("SIGKILL");
    await exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

const source = (path: string): string => new URL(`../../../../src/${path}`, import.meta.url).href;

/** A bot, with a Slack and a workload API where nobody answers. */
function startOfBot(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  return loadedBy([fileURLToPath(source("main.ts")), "bot"], {
    SLACK_BOT_TOKEN: "xoxb-nobody",
    SLACK_SIGNING_SECRET: "nobody-signs-with-this-secret",
    SLACK_API_URL: "http://127.0.0.1:9/api/",
    WORKLOAD_API_URL: "http://127.0.0.1:9/",
    WORKLOAD_API_USERNAME: "dana",
    WORKLOAD_API_TOKEN: "a-token-of-nobody",
    ...env,
  });
}

/** The workload API alone. */
function startOfService(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  return loadedBy([fileURLToPath(source("bin/service.ts"))], { SERVICE_PORT: "0", ...env });
}

/** Only what a start does with these settings for metrics and tracing. */
function startOfObserver(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const code = `
    const { readConfig } = await import(${JSON.stringify(source("bot/compose/config.ts"))});
    const { openObserver } = await import(${JSON.stringify(source("bot/compose/observing/observer.ts"))});
    const { machineClock } = await import(${JSON.stringify(source("platform/clock.ts"))});
    await openObserver(readConfig(process.env), { replicaId: "a", clock: machineClock });
    console.log("observes");
  `;
  return loadedBy(["--input-type=module", "--eval", code], env);
}

const ofMetrics = ["prom-client", "tdigest", "bintrees"];
const isOfTracing = (name: string): boolean => name.startsWith("@opentelemetry/");

test("without metrics and tracing, no module of theirs is loaded", async () => {
  const off = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_SDK_DISABLED: "true" };
  for (const packages of [await startOfBot(off), await startOfService(off)]) {
    expect(packages).toContain("pino");
    expect(packages.filter((name) => ofMetrics.includes(name) || isOfTracing(name))).toEqual([]);
  }
});

test("metrics load no tracing, and tracing loads no metrics", async () => {
  const withMetrics = await startOfObserver({ GANTRY_METRICS_PORT: "0" });
  const withTracing = await startOfObserver({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" });

  expect(withMetrics).toContain("prom-client");
  expect(withMetrics.filter((name) => isOfTracing(name) && name !== "@opentelemetry/api")).toEqual([]);
  expect(withTracing).toContain("@opentelemetry/sdk-trace");
  expect(withTracing.filter((name) => ofMetrics.includes(name))).toEqual([]);
});

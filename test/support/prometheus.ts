import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

const folder = (process.env["PATH"] ?? "")
  .split(delimiter)
  .find((each) => existsSync(join(each, "promtool")) && existsSync(join(each, "prometheus")));

/** Why nothing can be tried on a real Prometheus; undefined when it is installed. */
export const noPrometheus = folder === undefined ? "skipped: no prometheus and promtool on the PATH" : undefined;

/** What promtool says. Rejects, with its words, when it finds something wrong. */
export async function promtool(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(join(folder ?? "", "promtool"), [...args]);
  return stdout;
}

const Answer = z.object({ status: z.string(), data: z.unknown(), error: z.string().optional() });
const Result = z.object({ result: z.array(z.unknown()) });
const Targets = z.object({
  activeTargets: z.array(z.object({ health: z.string(), lastError: z.string() })),
});

export type TestPrometheus = {
  /** The number of series that a query finds. Throws when it isn't valid. */
  readonly count: (query: string) => Promise<number>;
  /** What it thinks of the target, and the last trouble with it. */
  readonly target: () => Promise<{ readonly health: string; readonly lastError: string } | undefined>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** A Prometheus that scrapes one port once a second, with these rules. */
export async function startPrometheus(scraped: number, rules: string): Promise<TestPrometheus> {
  const dir = mkdtempSync(join(tmpdir(), "gantry-prometheus-"));
  const port = await freePort();
  const config = {
    global: { scrape_interval: "1s", evaluation_interval: "1s" },
    rule_files: [rules],
    scrape_configs: [{ job_name: "gantry", static_configs: [{ targets: [`127.0.0.1:${scraped}`] }] }],
  };
  // JSON is YAML.
  writeFileSync(join(dir, "prometheus.yml"), JSON.stringify(config));
  const server = spawn(
    join(folder ?? "", "prometheus"),
    [
      `--config.file=${dir}/prometheus.yml`,
      `--storage.tsdb.path=${dir}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let said = "";
  server.stderr.setEncoding("utf8").on("data", (chunk: string) => (said = (said + chunk).slice(-4_000)));
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    const { status, data, error } = Answer.parse(await response.json());
    if (status !== "success") throw new Error(`${path}: ${error}`);
    return data;
  };
  const stop = (): Promise<void> => end(server, dir);
  try {
    await until(() => {
      if (server.exitCode !== null) throw new Error(`Prometheus ended: ${said}`);
      return ask("targets").then(
        () => true,
        () => false,
      );
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    async count(query) {
      return Result.parse(await ask(`query?query=${encodeURIComponent(query)}`)).result.length;
    },
    async target() {
      return Targets.parse(await ask("targets")).activeTargets[0];
    },
    [Symbol.asyncDispose]: stop,
  };
}

async function end(server: ChildProcess, dir: string): Promise<void> {
  if (server.exitCode === null) {
    const over = once(server, "exit");
    server.kill("SIGKILL");
    await over;
  }
  rmSync(dir, { recursive: true, force: true });
}

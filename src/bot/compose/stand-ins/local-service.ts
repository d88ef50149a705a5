import { join } from "node:path";
import type { Logger } from "pino";
import { existsSync, writeFileSync } from "node:fs";
import type { ApiAccount, AccountApi } from "../../../api/client.ts";
import type { EmbeddedService } from "../config.ts";
import { withHealth } from "../../../service/api/health.ts";
import { serve } from "../../../service/api/serve.ts";
import type { EngineAbout } from "../../../service/engine.ts";
import { makeToken } from "../../../service/api/users.ts";
import type { Call } from "../../../api/operations.ts";
import type { Settings } from "../../commands/command.ts";
import { Problem } from "../../../api/problem.ts";

export type LocalService = {
  /** Any address works: there is no socket. */
  readonly baseUrl: string;
  readonly fetch: (request: Request) => Promise<Response>;
  /** The account of the bot, with a new token at each start. */
  readonly account: ApiAccount;
  /** Notices for the operator, as sentences. */
  readonly notices: readonly string[];
  /** Notices of the start, one per cluster. */
  readonly found: readonly string[];
  readonly about: () => EngineAbout;
  readonly close: () => Promise<void>;
};

type LocalServiceParts = {
  readonly config: EmbeddedService;
  readonly dataDir: string;
  readonly log: Logger;
};

/** The workload API in this process, on the configured engine. Throws when that can't be used. */
export async function openLocalService({ config, dataDir, log }: LocalServiceParts): Promise<LocalService> {
  const { engine, callsPerDay } = config;
  const account = { username: "gantry", token: makeToken() };
  const opened = await engine.open({
    dataDir: join(dataDir, "service"),
    users: [account.username],
    // pino serializes an Error only under the name `err`.
    onEvent: (event, data: { readonly error?: unknown }) =>
      log.debug(
        { event, ...data, ...(data.error !== undefined && { err: data.error }) },
        `${engine.descriptor.name} engine event`,
      ),
  });
  for (const notice of opened.notices) log.warn(notice);
  const fetch = serve({
    engine: opened.engine,
    users: [account],
    checkAnswers: true,
    log,
    ...(callsPerDay !== undefined && { rateLimitPerDay: callsPerDay }),
  });
  return {
    baseUrl: "http://service.invalid",
    fetch: withHealth(fetch, opened),
    account,
    notices: opened.notices,
    found: opened.found,
    about: opened.about,
    close: () => opened.close({ keepWorkloads: true }),
  };
}

type Regions = Pick<Settings, "region" | "jobsRegion">;

/** Demo workloads: a service that serves, one that logs, and a job that ends. */
function demoCalls({ region, jobsRegion }: Regions): readonly Call<"createService" | "createJob">[] {
  const limits = { memory: "256" };
  return [
    {
      op: "createService",
      path: { region, service_name: "web" },
      query: undefined,
      body: {
        target_instance_size: 2,
        containers: [{ image: "gantry/hello-web", ports: [{ port: 8080, protocol: "TCP" }], resources: { limits } }],
        port_mappings: [{ container_port: 8080, protocol: "tcp" }],
      },
    },
    {
      op: "createService",
      path: { region, service_name: "worker" },
      query: undefined,
      body: { target_instance_size: 1, containers: [{ image: "gantry/worker", resources: { limits } }] },
    },
    {
      op: "createJob",
      path: { region: jobsRegion, job_name: "nightly-report" },
      query: undefined,
      body: { containers: [{ image: "gantry/batch", command: ["12", "--delay", "500"] }] },
    },
  ];
}

/**
 * Creates the demo workloads through the API, once per data folder, so that a deleted one stays deleted. Failures are
 * only logged.
 */
export async function createDemo(
  api: AccountApi,
  { dataDir, settings, log }: { readonly dataDir: string; readonly settings: Regions; readonly log: Logger },
): Promise<void> {
  const marker = join(dataDir, "demo-created");
  if (existsSync(marker)) return;
  for (const call of demoCalls(settings)) {
    try {
      await api.send(call);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      log.warn({ err: error, op: call.op }, "couldn't create a demo workload");
    }
  }
  writeFileSync(marker, `${new Date().toISOString()}\n`);
}

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Logger } from "pino";
import { existsSync, writeFileSync } from "node:fs";
import type { ApiAccount, AccountApi } from "../../../api/client.ts";
import type { EmbeddedService } from "../config.ts";
import { withHealth } from "../../../service/api/listen.ts";
import { serve } from "../../../service/api/serve.ts";
import type { EngineAbout } from "../../../service/engine.ts";
import { makeToken } from "../../../service/api/users.ts";
import type { Call } from "../../../api/operations.ts";
import type { Settings } from "../../commands/command.ts";
import type { Store } from "../../store/store.ts";
import type { Clock } from "../../../platform/clock.ts";
import { unawaited } from "../../../platform/waiting.ts";
import { Problem } from "../../../api/problem.ts";

export type LocalService = {
  /** Any address works: there is no socket. */
  readonly baseUrl: string;
  readonly fetch: (request: Request) => Promise<Response>;
  /** The account of the bot, with a new token at each start. */
  readonly account: ApiAccount;
  /** Notices for the operator, as sentences; then those of the start, one per cluster. */
  readonly notices: readonly string[];
  readonly about: () => EngineAbout;
  readonly close: () => Promise<void>;
};

const ACCOUNT = "gantry";

type LocalServiceParts = {
  readonly config: EmbeddedService;
  readonly dataDir: string;
  readonly log: Logger;
  readonly clock: Clock;
};

/** The workload API in this process, on the configured engine. Throws when that can't be used. */
export async function openLocalService({ config, dataDir, log, clock }: LocalServiceParts): Promise<LocalService> {
  const { engine, callsPerDay } = config;
  const account = { username: ACCOUNT, token: makeToken() };
  const opened = await engine.open({
    dataDir: join(dataDir, "service"),
    users: [account.username],
    clock,
    // pino serializes an Error only under the name `err`.
    onEvent: (event, data: { readonly error?: unknown }) =>
      log.debug(
        { event, ...data, ...(data.error !== undefined && { err: data.error }) },
        `${engine.descriptor.name} engine event`,
      ),
  });
  const fetch = serve({
    engine: opened.engine,
    changes: opened.changes,
    users: [account],
    checkAnswers: true,
    log,
    clock,
    ...(callsPerDay !== undefined && { rateLimitPerDay: callsPerDay }),
  });
  return {
    baseUrl: "http://service.invalid",
    fetch: withHealth(fetch, opened),
    account,
    notices: [...opened.notices, ...opened.found],
    about: opened.about,
    close: () => opened.close({ keepWorkloads: true }),
  };
}

type Regions = Pick<Settings, "region" | "jobsRegion">;

/** Demo workloads: a service that serves, one that logs, one that crashes, and a job that ends. */
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
      op: "createService",
      path: { region, service_name: "checkout" },
      query: undefined,
      body: {
        target_instance_size: 1,
        containers: [{ image: "gantry/flaky", env: [{ name: "AFTER_MS", value: "4000" }], resources: { limits } }],
      },
    },
    {
      op: "createJob",
      path: { region: jobsRegion, job_name: "nightly-report" },
      query: undefined,
      body: { containers: [{ image: "gantry/batch", command: ["12", "--delay", "500"] }] },
    },
  ];
}

type Demo = {
  readonly dataDir: string;
  readonly settings: Regions;
  readonly log: Logger;
  readonly store: Pick<Store, "addWatch">;
  readonly clock: Pick<Clock, "now" | "sleep">;
};

/**
 * Creates the demo workloads through the API, once per data folder, so that a deleted one stays deleted. One of them
 * crashes, which is told in #ops, and is mended a minute later, which is told too. Failures are only logged.
 */
export async function createDemo(api: AccountApi, demo: Demo): Promise<void> {
  const { dataDir, settings, log, clock } = demo;
  const marker = join(dataDir, "demo-created");
  if (existsSync(marker)) return;
  await watchDemo(demo);
  for (const call of demoCalls(settings)) await sent(api, call, log);
  writeFileSync(marker, `${clock.now().toISOString()}\n`);
  unawaited(mendDemo(api, demo), (err) => log.warn({ err }, "couldn't mend the demo workload that fails"));
}

async function sent(api: AccountApi, call: Call<"createService" | "createJob" | "updateService">, log: Logger) {
  try {
    await api.send(call);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log.warn({ err: error, op: call.op }, "couldn't create a demo workload");
  }
}

/** Dana's, in the channel where the bot is: see playground/workspace/seeds.ts. */
async function watchDemo({ store, settings }: Demo): Promise<void> {
  const teamId = "T0PLAYGR";
  const who = { userId: "U0DANA", name: "Dana Reyes" };
  const channelId = "C0OPS";
  const watch = {
    id: randomUUID(),
    teamId,
    owner: who,
    source: "person",
    account: { owner: { kind: "workspace" }, username: ACCOUNT },
    target: { kind: undefined, names: "*", region: settings.region },
    place: { kind: "channel", channelId },
    events: ["failing", "recovered", "job-failed"],
    afterMs: 0,
    quiet: undefined,
    digest: undefined,
  } as const; // literal kinds
  const nothing = {
    changeId: undefined,
    workload: undefined,
    rule: undefined,
    elapsedMs: undefined,
    reference: undefined,
  };
  await store.addWatch(
    watch,
    { perOwner: 50, perPlace: 100 },
    {
      ...nothing,
      kind: "watched",
      teamId,
      who,
      channelId,
      verb: "watch",
      account: ACCOUNT,
      breakGlass: false,
      result: "all: failing, recovered, job failed",
    },
  );
}

const MEND_AFTER_MS = 60_000;

async function mendDemo(api: AccountApi, { settings, log, clock }: Demo): Promise<void> {
  await clock.sleep(MEND_AFTER_MS);
  await sent(
    api,
    {
      op: "updateService",
      path: { region: settings.region, service_name: "checkout" },
      query: undefined,
      body: { containers: [{ image: "gantry/worker", env: { remove: ["AFTER_MS"] } }] },
    },
    log,
  );
}

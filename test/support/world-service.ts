import type { AccountApi, ApiAccount } from "../../src/api/client.ts";
import type { Clock } from "../../src/platform/clock.ts";
import type { createLog } from "../../src/platform/log.ts";
import { openLocalService } from "../../src/bot/compose/stand-ins/local-service.ts";
import type { EngineChoice } from "../../src/service/engine-descriptor.ts";
import { processEngine } from "../../src/service/engines/process/descriptor.ts";
import { openProcessEngine } from "../../src/service/engines/process/process-engine.ts";
import { withHealth } from "../../src/service/api/listen.ts";
import { serve } from "../../src/service/api/serve.ts";
import { makeToken } from "../../src/service/api/users.ts";
import type { World, WorldOptions } from "./world.ts";

export type Fetch = (request: Request) => Promise<Response>;
type Opened = { baseUrl: string; fetch: Fetch; account: ApiAccount; close: () => Promise<void> };

/** The service of a world: made up, over an engine of its own, or with real processes. */
export async function openService(
  options: WorldOptions,
  parts: { dataDir: string; log: ReturnType<typeof createLog>; clock: Clock },
): Promise<Opened> {
  const service = await openIts(options, parts);
  if (process.env["GANTRY_RECORD"] === undefined) return service;
  // Programs use worlds, too, and it only runs in tests.
  const { recordingFetch } = await import("./recording.ts");
  return { ...service, fetch: recordingFetch(service.fetch, parts.clock.now) };
}

async function openIts(
  { apiFetch, engine, opened, users = [] }: WorldOptions,
  parts: { dataDir: string; log: ReturnType<typeof createLog>; clock: Clock },
): Promise<Opened> {
  const regions = ["beijing1", "beijing2"];
  const account = { username: "gantry", token: makeToken() };
  const rest = { baseUrl: "http://service.invalid", account, close: () => Promise.resolve() };
  if (apiFetch !== undefined) return { ...rest, fetch: apiFetch };
  const served = { users: [account, ...users], regions, checkAnswers: true, log: parts.log, clock: parts.clock };
  if (opened !== undefined) {
    const fetch = serve({ ...served, engine: opened.engine, changes: opened.changes });
    return { ...rest, fetch: withHealth(fetch, opened) };
  }
  if (engine !== undefined) {
    const fetch = serve({ ...served, engine });
    return { ...rest, fetch: async (request) => (isHealthCheck(request) ? runsNothing() : fetch(request)) };
  }
  return openLocalService({
    ...parts,
    config: { kind: "embedded", engine: quickProcesses(regions) },
  });
}

function isHealthCheck({ url }: Request): boolean {
  return new URL(url).pathname.endsWith("/healthz");
}

/** Like the process engine, it runs no image of anybody. */
function runsNothing(): Response {
  return Response.json({
    status: "ok",
    engine: { name: "process", title: "Nothing", regions: [], images: ["test/web", "test/batch"] },
  });
}

/** The process engine with shorter times. */
function quickProcesses(regions: readonly string[]): EngineChoice {
  const quick = { graceMs: 1_000, readyAfterMs: 50, backOffMs: { first: 20, max: 100 } };
  return {
    ...processEngine.choose({}, { set: regions, byDefault: [] }),
    open: async (parts) => ({ ...(await openProcessEngine({ ...parts, regions, ...quick })), found: [] }),
  };
}

/** The workloads of an account as they are, past the bot. */
export function lookInto(api: AccountApi, region: string): Pick<World, "service" | "services" | "job"> {
  return {
    service: (name) =>
      api.send({ op: "getService", path: { region, service_name: name }, query: undefined, body: undefined }),
    services: async () =>
      (await api.send({ op: "listServices", path: { region }, query: undefined, body: undefined })).services,
    job: (name) =>
      api.send({ op: "getJob", path: { region: "us", job_name: name }, query: undefined, body: undefined }),
  };
}

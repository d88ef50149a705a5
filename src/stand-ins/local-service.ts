import { join } from "node:path";
import type { Logger } from "pino";
import type { ApiAccount } from "../api/client.ts";
import type { EmbeddedService } from "../boot/config.ts";
import { openProcessEngine, type ProcessEngineOptions } from "../service/engines/process/process-engine.ts";
import { serve } from "../service/api/serve.ts";
import { makeToken } from "../service/api/users.ts";

export type LocalService = {
  /** Any address works: there is no socket. */
  readonly baseUrl: string;
  readonly fetch: (request: Request) => Promise<Response>;
  /** The account of the bot, with a new token at each start. */
  readonly account: ApiAccount;
  /** Notices for the operator, as sentences. */
  readonly notices: readonly string[];
  readonly close: () => Promise<void>;
};

type LocalServiceParts = {
  readonly config: EmbeddedService;
  readonly dataDir: string;
  readonly log: Logger;
  /** Shorter times, for tests. */
  readonly engine?: Partial<ProcessEngineOptions>;
};

/** The workload API in this process, on the process engine. Throws when the engine isn't supported here. */
export async function openLocalService({
  config,
  dataDir,
  log,
  engine = {},
}: LocalServiceParts): Promise<LocalService> {
  const { regions, hostCommands, callsPerDay, quotas = {} } = config;
  const account = { username: "gantry", token: makeToken() };
  const opened = await openProcessEngine({
    dataDir: join(dataDir, "service"),
    regions,
    users: [account.username],
    quotas,
    allowHostCommands: hostCommands,
    // pino serializes an Error only under the name `err`.
    onEvent: (engine, data: { readonly error?: unknown }) =>
      log.debug({ engine, ...data, ...(data.error !== undefined && { err: data.error }) }, "process engine event"),
    ...engine,
  });
  for (const notice of opened.notices) log.warn(notice);
  const fetch = serve({
    engine: opened.engine,
    users: [account],
    checkAnswers: true,
    log,
    ...(callsPerDay !== undefined && { rateLimitPerDay: callsPerDay }),
  });
  return { baseUrl: "http://service.invalid", fetch, account, notices: opened.notices, close: () => opened.close() };
}

import { join } from "node:path";
import type { Logger } from "pino";
import type { ApiAccount } from "../../../api/client.ts";
import type { EmbeddedService } from "../config.ts";
import { withHealth } from "../../../service/api/health.ts";
import { serve } from "../../../service/api/serve.ts";
import type { EngineAbout } from "../../../service/engine.ts";
import { makeToken } from "../../../service/api/users.ts";

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

import { WebClient, type WebClientOptions } from "@slack/web-api";
import type { Logger } from "pino";
import { boltLogger } from "./bolt-logger.ts";

export type SlackAccess = {
  readonly botToken: string;
  /** Another place than Slack's own Web API, with the slash at its end: a playground. */
  readonly apiUrl?: string;
};

export type Clients = {
  /** For what somebody waits for: fails rather than waits. */
  readonly interactive: WebClient;
  /** For what may take its time: queued, repeated, patient with rate limits. */
  readonly background: WebClient;
};

const INTERACTIVE_MS = 2_500;
const BACKGROUND_MS = 10_000;

/**
 * Two clients, because a 429 stops everything in a client's queue until Retry-After is over. Each has options of its
 * own: a shared object makes clients overwrite one another's retries and, in `headers`, even tokens.
 */
export function createClients({ botToken, apiUrl }: SlackAccess, log: Logger): Clients {
  const shared = (): WebClientOptions => ({
    logger: boltLogger(log),
    allowAbsoluteUrls: false,
    ...(apiUrl !== undefined && { slackApiUrl: apiUrl }),
  });
  return {
    interactive: new WebClient(botToken, {
      ...shared(),
      timeout: INTERACTIVE_MS,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
    }),
    background: new WebClient(botToken, {
      ...shared(),
      timeout: BACKGROUND_MS,
      retryConfig: { retries: 2, minTimeout: 250, maxTimeout: 2_000 },
      maxRequestConcurrency: 10,
    }),
  };
}

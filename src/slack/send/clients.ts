import { WebClient, type WebClientOptions } from "@slack/web-api";
import type { Logger } from "pino";
import { boltLogger } from "../bolt-logger.ts";

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
  /**
   * For cards and their threads: one attempt per call, and the caller handles failures. A client that retries or waits
   * for Retry-After could post a second card, or outlive the right to draw.
   */
  readonly drawing: WebClient;
};

const INTERACTIVE_MS = 2_500;
const BACKGROUND_MS = 10_000;
/**
 * A long timeout, because Slack may still post a message after we gave up on it. Below `DRAW_WITHIN_MS` of the store.
 */
const DRAWING_MS = 20_000;

/**
 * Separate clients, because a 429 blocks a client's whole queue until Retry-After is over. Each has options of its
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
    drawing: new WebClient(botToken, {
      ...shared(),
      timeout: DRAWING_MS,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
    }),
  };
}

import { WebClient, type WebClientOptions } from "@slack/web-api";
import type { Logger } from "pino";
import { directNetwork, type Network } from "../../../platform/http/network.ts";
import { answerTo, Headers, Response } from "../../../platform/http/send.ts";
import { boltLogger } from "../bolt-logger.ts";
import { ANSWER_WITHIN_MS } from "./response-url.ts";
import { kindOf } from "./slack-error.ts";

export type SlackAccess = {
  readonly botToken: string;
  /** Another base URL than Slack's own Web API, with the slash at its end: a playground. */
  readonly apiUrl?: string | undefined;
  /** The workspace that a token of a whole organization is used in: https://docs.slack.dev/enterprise/developing-for-enterprise-orgs */
  readonly teamId?: string | undefined;
  /** Default: without a proxy. */
  readonly network?: Network | undefined;
};

/** Where Slack is, for calls and connections of any token. */
export type SlackPlace = Pick<SlackAccess, "apiUrl" | "network">;

/**
 * - `interactive`: must reach Slack within seconds or not at all, such as a form; fails rather than waits
 * - `answer`: an answer to a person, sent once; a late one is better than none
 * - `background`: may take its time; the messenger retries
 * - `card`: exactly one attempt, and the caller handles failures: a retry could post a second card, or outlive the right
 *   to draw
 */
export type Urgency = "interactive" | "answer" | "background" | "card";

/** Only the messenger and `directory/` use these. */
export type Clients = {
  readonly of: (urgency: Urgency) => WebClient;
  /** Slack's code for refusing the bot token: "token_revoked"; undefined since a call succeeded again. */
  readonly tokenRefusal: () => string | undefined;
};

/**
 * In milliseconds. Long for cards, because Slack may still post a message after we gave up on it; below `DRAW_WITHIN_MS`
 * of the store.
 */
const timeouts: Readonly<Record<Urgency, number>> = {
  interactive: 2_500,
  answer: ANSWER_WITHIN_MS,
  background: 10_000,
  card: 20_000,
};

/**
 * No client retries or waits: after a 429 a waiting client pauses its whole queue, not just the method that was limited.
 * Each has options of its own: a shared object makes clients overwrite one another's retries and, in `headers`, even
 * tokens.
 */
export function clientOptions(
  { apiUrl, teamId }: Pick<SlackAccess, "apiUrl" | "teamId">,
  own: Required<Pick<WebClientOptions, "fetch" | "logger" | "timeout">>,
): WebClientOptions {
  return {
    ...own,
    allowAbsoluteUrls: false,
    ...(apiUrl !== undefined && { slackApiUrl: apiUrl }),
    // Sent with every call: the token of an organization says nothing about channels and groups without it.
    ...(teamId !== undefined && { teamId }),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
  };
}

export function createClients(access: SlackAccess, log: Logger): Clients {
  const { fetch, refusal } = createTokenWatch(access.network ?? directNetwork);
  const client = (urgency: Urgency): WebClient => {
    const own = { fetch, logger: boltLogger(log), timeout: timeouts[urgency] };
    return new WebClient(access.botToken, clientOptions(access, own));
  };
  // Each binds some 250 methods, and most workspaces are quiet.
  const made: Partial<Record<Urgency, WebClient>> = {};
  return { of: (urgency) => (made[urgency] ??= client(urgency)), tokenRefusal: refusal };
}

const ACCEPTED = /^\s*\{\s*"ok"\s*:\s*true\b/u;
const REFUSED = /"error"\s*:\s*"([a-z_]{1,60})"/u;

/**
 * A `fetch` that remembers whether the last answer accepted the token. It reads every answer below the clients, so no
 * client and no method is left out.
 */
function createTokenWatch(network: Pick<Network, "send" | "fetch">) {
  let refusal: string | undefined;
  const checkToken = (text: string): void => {
    if (ACCEPTED.test(text)) {
      refusal = undefined;
      return;
    }
    const code = REFUSED.exec(text)?.[1];
    if (code !== undefined && kindOf(code) === "token") refusal = code;
  };
  return {
    refusal: () => refusal,
    fetch: async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
      const { method = "GET", body, signal, headers } = init;
      // A file.
      if (typeof url !== "string" || typeof body !== "string" || !signal) return network.fetch(url, init);
      const sent = { method, body, signal, headers: Object.fromEntries(new Headers(headers)) };
      const answer = await answerTo(network.send, url, sent);
      // Slack redirects nobody.
      if (answer.status >= 300 && answer.status < 400) throw new TypeError("unexpected redirect");
      if (answer.status === 200) checkToken(answer.text);
      return new Response(answer.text, { status: answer.status, headers: [...answer.headers.entries()] });
    },
  };
}

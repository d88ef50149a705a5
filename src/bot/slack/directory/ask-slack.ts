import { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import { z } from "zod";
import type { Away, Refused, SlackFacts } from "../../health/facts.ts";
import { directNetwork } from "../../../platform/http/network.ts";
import { boltLogger } from "../bolt-logger.ts";
import { clientOptions, type SlackAccess } from "../send/clients.ts";
import { classify } from "../send/slack-error.ts";

type Parts = {
  readonly access: SlackAccess;
  /** The workspace's name, where there are several. */
  readonly workspace: string | undefined;
  readonly nowMs: () => number;
  readonly log: Logger;
};

/** A person waits for the whole check-up. */
const WITHIN_MS = 3_000;
/** Five calls, of 50 a minute. */
const PAGES = 5;
const PAGE = 200;

/** What Slack says to a bot token now: who it is, its scopes, the time, the bot's channels. Never rejects. */
export async function askSlack({ access, workspace, nowMs, log }: Parts): Promise<SlackFacts> {
  const { network = directNetwork } = access;
  const seen = headersSeen(network.fetch, nowMs);
  const client = clientOf(access, log, seen.fetch);
  const nothing = { workspace, scopes: undefined, aheadMs: undefined, channels: notAsked, groups: undefined };
  try {
    const { user = "gantry", team = "Slack" } = await client.auth.test();
    const token = { kind: "accepted", bot: user, team } as const;
    const [channels, groups] = await Promise.all([channelsOf(client), groupsOf(client)]);
    return { workspace, token, ...seen.first(), channels, groups };
  } catch (error) {
    return { ...nothing, aheadMs: seen.first().aheadMs, token: failureOf(error, "token") };
  }
}

/** Whether Slack opens a connection for this app-level token. The ticket isn't used. Never rejects. */
export async function askForConnection(
  access: SlackAccess,
  appToken: string,
  log: Logger,
): Promise<{ readonly kind: "accepted" } | Refused | Away> {
  const { network = directNetwork } = access;
  try {
    await clientOf({ ...access, botToken: appToken }, log, network.fetch).apps.connections.open();
    return { kind: "accepted" };
  } catch (error) {
    return failureOf(error, "any");
  }
}

type Fetch = typeof fetch;

function clientOf(access: SlackAccess, log: Logger, fetch: Fetch): WebClient {
  return new WebClient(access.botToken, clientOptions(access, { fetch, logger: boltLogger(log), timeout: WITHIN_MS }));
}

const notAsked: Away = { kind: "away", why: "the token doesn't work" };

/** Slack refuses with a code; anything else means that it can't be reached, or that something else answers. */
function failureOf(error: unknown, refusedFor: "token" | "any"): Refused | Away {
  const { code, kind } = classify(error);
  if (kind === "limited") return { kind: "away", why: "Slack's rate limit is reached" };
  const isRefused = refusedFor === "token" ? kind === "token" : kind !== "unsure" && kind !== "temporary";
  if (isRefused) return { kind: "refused", code };
  if (code === "TimeoutError") return { kind: "away", why: `it didn't answer in ${WITHIN_MS / 1_000} s` };
  return { kind: "away", why: `it can't be reached (${codeBelow(error) ?? code})` };
}

/** The system's code under the layers of the client: ECONNREFUSED. */
function codeBelow(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > 5) return undefined;
  if ("code" in error && typeof error.code === "string" && /^[A-Z_]+$/u.test(error.code)) return error.code;
  const inner = "original" in error ? error.original : error.cause;
  return codeBelow(inner, depth + 1);
}

/** https://docs.slack.dev/authentication/installing-with-oauth: `x-oauth-scopes` lists what the token may do. */
function headersSeen(real: Fetch, nowMs: () => number) {
  let scopes: readonly string[] | undefined;
  let aheadMs: number | undefined;
  const through: Fetch = async (url, init) => {
    const began = nowMs();
    const response = await real(url, init);
    const granted = response.headers.get("x-oauth-scopes");
    scopes ??= granted === null ? undefined : granted.split(",").map((scope) => scope.trim());
    const date = Date.parse(response.headers.get("date") ?? "");
    // The header has whole seconds, so the middle of its second is the best guess.
    if (!Number.isNaN(date)) aheadMs ??= Math.round((began + nowMs()) / 2 - date - 500);
    return response;
  };
  return { fetch: through, first: () => ({ scopes, aheadMs }) };
}

const Channels = z.array(z.object({ id: z.string() }));

/** The channels that the bot is in; the newest 1,000. */
async function channelsOf(client: WebClient): Promise<SlackFacts["channels"]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  const types = "public_channel,private_channel";
  try {
    for (let pages = 0; pages < PAGES; pages += 1) {
      const page = await client.users.conversations({
        types,
        exclude_archived: true,
        limit: PAGE,
        ...(cursor && { cursor }),
      });
      ids.push(...Channels.parse(page.channels ?? []).map(({ id }) => id));
      cursor = page.response_metadata?.next_cursor;
      if (cursor === undefined || cursor === "") break;
    }
    return { kind: "known", ids };
  } catch (error) {
    return failureOf(error, "any");
  }
}

async function groupsOf(client: WebClient): Promise<readonly string[] | undefined> {
  try {
    const { usergroups = [] } = await client.usergroups.list();
    return usergroups.map(({ id = "" }) => id);
  } catch {
    return undefined;
  }
}

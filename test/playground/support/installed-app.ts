import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { createPlayground, type Playground } from "../../../src/playground/playground.ts";
import { app, signingSecret, type Answer } from "./small-world.ts";
import type { ExternalFault } from "../../../src/playground/world.ts";
import { stillClock } from "../../support/test-clock.ts";
import { type SmallBot, startSmallBot } from "./small-bot.ts";

export const clientId = "1111.2222";
export const clientSecret = "a-client-secret-for-tests";
export const redirectUri = "https://bot.example/slack/oauth_redirect";

type Link = { readonly owner: string; readonly as: string; readonly query?: Readonly<Record<string, string>> };

/** A playground with several workspaces, and an app that none has installed yet. */
export type InstalledApp = {
  readonly playground: Playground;
  readonly bot: SmallBot;
  readonly url: string;
  readonly pass: (ms: number) => void;
  readonly call: (method: string, args: object, token?: string) => Promise<Answer>;
  /** Slack's answer to a person on its page for installing the app. */
  readonly answers: (link: Link & { readonly answer?: string }) => Promise<Response>;
  /** The code that a person who allows the app brings back. */
  readonly code: (link: Link) => Promise<string>;
  readonly trade: (args: object) => Promise<Answer>;
  /** The whole of it: resolves with the token. */
  readonly install: (owner: string, as: string) => Promise<string>;
  /** The events of one type that the bot got, with their envelopes. */
  readonly events: (type: string) => readonly Answer[];
  /** The rule that the last exchange of the first workspace broke. */
  readonly rule: () => string | undefined;
  readonly stop: () => Promise<void>;
};

const scope = app.scopes.join(",");

type Options = { readonly rotates?: boolean; readonly externalFaults?: readonly ExternalFault[] };

export async function startInstalledApp({ rotates = false, externalFaults = [] }: Options = {}): Promise<InstalledApp> {
  const clock = stillClock(new Date("2026-11-20T09:00:00Z"));
  let url = "";
  const bot = await startSmallBot(signingSecret);
  const playground = createPlayground({
    app: { ...app, events: [...app.events, "app_uninstalled", "tokens_revoked", "team_access_granted"] },
    signingSecret,
    oauth: {
      clientId,
      clientSecret,
      redirectUrls: () => [redirectUri],
      installUrl: () => "https://bot.example/slack/install",
      rotates,
    },
    url: () => url,
    externalFaults,
    requestUrl: () => bot.url,
    clock,
  });
  const server = serve({ fetch: playground.fetch, port: 0, hostname: "127.0.0.1" });
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server's address is never a string
  const call: InstalledApp["call"] = async (method, args, token) => {
    const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
    const request = { method: "POST", headers, body: JSON.stringify(args) };
    return JSON.parse(await (await fetch(`${url}/api/${method}`, request)).text());
  };
  const answers: InstalledApp["answers"] = ({ owner, as, answer = "allow", query = {} }) => {
    const asked = new URLSearchParams({ client_id: clientId, scope, redirect_uri: redirectUri, state: "s", ...query });
    const form = new URLSearchParams({ owner, as, answer });
    return fetch(`${url}/oauth/v2/authorize?${asked.toString()}`, { method: "POST", body: form, redirect: "manual" });
  };
  const code: InstalledApp["code"] = async (link) => {
    const location = (await answers(link)).headers.get("location") ?? "";
    return new URL(location).searchParams.get("code") ?? "";
  };
  const trade = (args: object): Promise<Answer> =>
    call("oauth.v2.access", { client_id: clientId, client_secret: clientSecret, ...args });
  return {
    playground,
    bot,
    url,
    pass: clock.jumpMs,
    call,
    answers,
    code,
    trade,
    async install(owner, as) {
      const answer = await trade({ code: await code({ owner, as }), redirect_uri: redirectUri });
      return String(answer["access_token"]);
    },
    events: (type) => eventsOf(bot, type),
    rule: () => playground.transcript().at(-1)?.refusal?.rule,
    async stop() {
      playground.close();
      server.close();
      if ("closeAllConnections" in server) server.closeAllConnections();
      await bot.stop();
    },
  };
}

function eventsOf(bot: SmallBot, type: string): readonly Answer[] {
  return bot.received
    .map(({ payload }) => payload)
    .filter(({ event }) => (event as Answer | undefined)?.["type"] === type); // an event is an object
}

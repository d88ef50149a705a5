import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type ChatPostMessageArguments, type ChatPostMessageResponse, LogLevel, WebClient } from "@slack/web-api";
import { machineClock } from "../../../src/platform/clock.ts";
import { httpServer } from "../../../src/platform/http/listen.ts";
import { type PlaygroundOptions, createPlayground, type Playground } from "../../../src/playground/playground.ts";
import { stillClock } from "../../support/test-clock.ts";
import { until } from "../../support/until.ts";
import { type SmallBot, startSmallBot } from "./small-bot.ts";

export const signingSecret = "a-secret-for-tests";
export const botToken = "xoxb-for-tests";
export const appToken = "xapp-for-tests";

export const app: PlaygroundOptions["app"] = {
  name: "Gantry",
  botDisplayName: "gantry",
  commands: ["/gantry"],
  scopes: [
    "chat:write",
    "commands",
    "files:write",
    "users:read",
    "usergroups:read",
    "channels:read",
    "groups:read",
    "im:read",
    "im:write",
    "app_mentions:read",
  ],
  events: ["app_mention"],
  shortcuts: [
    { type: "message", name: "Restart this", callbackId: "restart", description: "Restart what a message names" },
    { type: "global", name: "New job", callbackId: "create", description: "Create a job" },
  ],
};

export type Answer = Record<string, unknown>;

export type SmallWorld = {
  readonly playground: Playground;
  readonly bot: SmallBot;
  readonly url: string;
  readonly web: WebClient;
  /** The SDK's chat.postMessage. */
  readonly post: (message: ChatPostMessageArguments) => Promise<ChatPostMessageResponse>;
  /** The playground's clock. */
  readonly now: () => number;
  /** Advances the playground's clock, which stands still otherwise, and runs the timers that are due. */
  readonly pass: (ms: number) => void;
  /** The outcome of something whose ack isn't there when Slack gives up. */
  readonly passAckLimit: <Outcome>(acting: Promise<Outcome>) => Promise<Outcome>;
  /** Calls a Web API method with a JSON body, without the SDK's own checks. */
  readonly call: (method: string, args: object, token?: string) => Promise<Answer>;
  /** The rule that the last exchange broke. */
  readonly rule: () => string | undefined;
  readonly stop: () => Promise<void>;
};

/** For a page that follows the workspace: its updates come some milliseconds after what they tell. */
export const running = { clock: machineClock };

/** A playground on a free port, a small bot, and the real SDK's client. */
export async function startSmallWorld(changes: Partial<PlaygroundOptions> = {}): Promise<SmallWorld> {
  const clock = stillClock(new Date("2026-11-20T09:00:00Z"));
  let url = "";
  const bot = await startSmallBot(signingSecret);
  const playground = createPlayground({
    app,
    signingSecret,
    botToken,
    appToken,
    url: () => url,
    requestUrl: () => bot.url,
    clock,
    ...changes,
  });
  const server = httpServer(playground.fetch, { upgrade: playground.upgrade });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  url = `http://127.0.0.1:${port}`;
  const web = new WebClient(botToken, {
    slackApiUrl: `${url}/api/`,
    retryConfig: { retries: 0 },
    logLevel: LogLevel.ERROR,
  });
  return {
    playground,
    bot,
    url,
    web,
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Slack's method, not that of a browser's window
    post: async (message) => web.chat.postMessage(message),
    now: clock.nowMs,
    pass: clock.jumpMs,
    async passAckLimit(acting) {
      await until(() =>
        playground.transcript().some(({ direction, ms }) => direction === "to bot" && ms === undefined),
      );
      clock.jumpMs(3_000);
      return acting;
    },
    async call(method, args, token = botToken) {
      const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
      const request = new Request(`${url}/api/${method}`, { method: "POST", headers, body: JSON.stringify(args) });
      return JSON.parse(await (await playground.fetch(request)).text());
    },
    rule: () => playground.transcript().at(-1)?.refusal?.rule,
    async stop() {
      playground.close();
      server.close();
      server.closeAllConnections();
      await bot.stop();
    },
  };
}

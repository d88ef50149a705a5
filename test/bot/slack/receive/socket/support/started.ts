import { testClock } from "../../../../../support/test-clock.ts";
import { until } from "../../../../../support/until.ts";
import { onTestFinished } from "vitest";
import { createLog } from "../../../../../../src/platform/log.ts";
import type { Ack } from "../../../../../../src/bot/slack/receive/transport.ts";
import { healthRoutes } from "../../../../../../src/bot/slack/receive/health-server.ts";
import { createSocketTransport } from "../../../../../../src/bot/slack/receive/socket/socket-transport.ts";
import type { Peer, SlackSockets } from "./slack-sockets.ts";

type Options = {
  readonly pongWithinMs?: number;
  readonly route?: (body: unknown, ack: Ack) => Promise<void>;
};

/** The bot's half of Socket Mode, with a route that acks everything unless the test has its own. */
export function socketTransport(
  { apiUrl, has }: Pick<SlackSockets, "apiUrl" | "has">,
  { route, ...pings }: Options = {},
) {
  const clock = testClock();
  const lines: string[] = [];
  const refusals: string[] = [];
  const bodies: unknown[] = [];
  const log = createLog({ level: "debug", secrets: [], to: { write: (line) => void lines.push(line) } });
  const transport = createSocketTransport(
    "xapp-1-test",
    {
      apiUrl,
      listen: { host: "127.0.0.1", port: 0 },
      routes: healthRoutes({ missing: () => Promise.resolve(transport.missing()), lanes: () => ({}) as never }), // its lanes are no matter here
      log,
      clock,
      onRefused: (sentence) => void refusals.push(sentence),
      async route(body, ack) {
        bodies.push(body);
        await (route ?? ((_, each) => each()))(body, ack);
      },
    },
    pings,
  );
  onTestFinished(() => transport.stop());
  const logged = (): string => lines.join("");
  /** How many connections have been opened so far, as the bot knows it. */
  const opened = (): number => logged().split("a connection to Slack is open").length - 1;
  return {
    ...transport,
    bodies,
    refusals,
    logged,
    opened,
    /**
     * Starts it; resolves with its two connections when it knows of both. Where Slack ends one before the bot has read its
     * hello, the bot drops it, and acks nothing that is delivered over it.
     */
    async connected(): Promise<readonly [Peer, Peer]> {
      await transport.start();
      await until(() => opened() === 2);
      return (await has(2)) as readonly [Peer, Peer]; // there are two
    },
    passSeconds: (seconds: number) => clock.passMs(seconds * 1_000),
    /** Time passes, slowly enough for a connection to open, until it is so. */
    inTime: (isSo: () => boolean | Promise<boolean>) =>
      until(() => {
        clock.passMs(250);
        return isSo();
      }),
  };
}

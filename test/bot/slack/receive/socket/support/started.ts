import { machineClock } from "../../../../../../src/platform/clock.ts";
import { onTestFinished } from "vitest";
import { createLog } from "../../../../../../src/platform/log.ts";
import type { Ack } from "../../../../../../src/bot/slack/receive/transport.ts";
import { healthRoutes } from "../../../../../../src/bot/slack/receive/health-server.ts";
import type { Timing } from "../../../../../../src/bot/slack/receive/socket/connections.ts";
import { createSocketTransport } from "../../../../../../src/bot/slack/receive/socket/socket-transport.ts";
import type { SlackSockets } from "./slack-sockets.ts";

/** Much shorter than in life, so that nobody waits; a test makes longer what it isn't about. */
const quick: Timing = {
  helloWithinMs: 5_000,
  pongWithinMs: 5_000,
  stableAfterMs: 0,
  retireAfterMs: 50,
  lookEveryMs: 20,
  startWithinMs: 5_000,
  tooManyWaitMs: 20,
  retryDelayMs: (failures) => Math.min(failures, 5) * 4,
};

type Options = Partial<Timing> & { readonly route?: (body: unknown, ack: Ack) => Promise<void> };

/** The bot's half of Socket Mode, with a route that acks everything unless the test has its own. */
export function socketTransport({ apiUrl }: Pick<SlackSockets, "apiUrl">, { route, ...timing }: Options = {}) {
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
      clock: machineClock,
      newReference: () => "ref-1",
      onRefused: (sentence) => void refusals.push(sentence),
      async route(body, ack) {
        bodies.push(body);
        await (route ?? ((_, each) => each()))(body, ack);
      },
    },
    { ...quick, ...timing },
  );
  onTestFinished(() => transport.stop());
  return { ...transport, bodies, refusals, logged: () => lines.join("") };
}

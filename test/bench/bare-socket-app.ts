import { App, LogLevel, SocketModeReceiver } from "@slack/bolt";
import { answerCalls } from "./remote.ts";

/** The floor of Socket Mode: a Bolt app with a listener that acks, over the one connection that Bolt opens. */

type Connecting = { readonly appToken: string; readonly slackUrl: string };

async function connect({ appToken, slackUrl }: Connecting): Promise<void> {
  const clientOptions = { slackApiUrl: `${slackUrl}/api/`, retryConfig: { retries: 0 } };
  // Its commands are lost while it reconnects, each with a stack trace.
  const log = (): void => undefined;
  const level = { setLevel: log, getLevel: () => LogLevel.ERROR, setName: log };
  const logger = { debug: log, info: log, warn: log, error: log, ...level };
  const receiver = new SocketModeReceiver({ appToken, logger, installerOptions: { clientOptions } });
  const app = new App({
    receiver,
    logger,
    authorize: () => Promise.resolve({ botToken: "xoxb-bench", botId: "B0BENCH", botUserId: "U0BOT" }),
  });
  app.command("/gantry", ({ ack }) => ack());
  await app.start();
}

const calls = { connect };

export type BareSocketAppCalls = typeof calls;

answerCalls(calls);

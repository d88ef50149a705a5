import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { App, HTTPReceiver, LogLevel } from "@slack/bolt";
import { afterAll, beforeAll, expect, test } from "vitest";
import { botToken, signingSecret, running, type SmallWorld, startSmallWorld } from "./support/small-world.ts";

// The playground must work with Bolt itself, over HTTP.

let world: SmallWorld;
let receiver: HTTPReceiver;
let port = 0;

async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo; // a TCP server's address is never a string
  probe.close();
  await once(probe, "close");
  return port;
}

beforeAll(async () => {
  port = await freePort();
  world = await startSmallWorld({ ...running, requestUrl: () => `http://127.0.0.1:${port}/slack/events` });
  receiver = new HTTPReceiver({ signingSecret, logLevel: LogLevel.ERROR });
  const app = new App({
    receiver,
    token: botToken,
    convoStore: false,
    clientOptions: { slackApiUrl: `${world.url}/api/` },
  });
  const next = { type: "button" as const, action_id: "next", text: { type: "plain_text" as const, text: "Next" } };
  app.command("/gantry", async ({ ack, respond, command }) => {
    await ack();
    await respond({ text: `you typed ${command.text}`, blocks: [{ type: "actions", elements: [next] }] });
  });
  app.action("next", async ({ ack, respond }) => {
    await ack();
    await respond({ text: "page 2", blocks: [], replace_original: true });
  });
  app.event("app_mention", async ({ say }) => void (await say("at your service")));
  await receiver.start({ port, host: "127.0.0.1" });
});
afterAll(async () => {
  await receiver.stop();
  await world.stop();
});

const dana = () => world.playground.as("dana");

test("a command is acked and answered, and a button of the answer replaces it", async () => {
  const typed = await dana().says("/gantry list @omar");
  await expect.poll(() => dana().sees().at(-1)?.notification).toBe("you typed list @omar");
  const clicked = await dana().clicks("Next");
  await expect.poll(() => dana().sees().at(-1)?.text).toBe("page 2");

  expect([typed.acked, clicked.acked]).toEqual([true, true]);
  expect(world.playground.transcript().filter((exchange) => exchange.refusal !== undefined)).toEqual([]);
});

test("a mention is answered in the channel", async () => {
  await dana().says("@gantry hello");

  await expect.poll(() => dana().sees().at(-1)?.text).toBe("at your service");
});

test("a request that was signed wrongly, or too long ago, is refused by the framework", async () => {
  const { faults } = world.playground;
  faults.signatureAgeSeconds = 298;
  const old = await dana().says("/gantry list");
  faults.signatureAgeSeconds = 302;
  const tooOld = await dana().says("/gantry list");
  faults.clear();
  faults.signsWrongly = true;
  const wrong = await dana().says("/gantry list");
  faults.clear();

  expect([old, tooOld, wrong].map((delivery) => delivery.status)).toEqual([200, 401, 401]);
});

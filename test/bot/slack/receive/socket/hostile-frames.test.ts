import { expect, test } from "vitest";
import { until } from "../../../../support/until.ts";
import { slackSockets } from "./support/slack-sockets.ts";
import { socketTransport } from "./support/started.ts";

test("frames that make no sense change nothing: the next command is answered", async () => {
  const slack = await slackSockets();
  const bot = socketTransport(slack);
  const [peer] = await bot.connected();

  for (const raw of [
    "null",
    "[]",
    "7",
    '"hello"',
    "{",
    "",
    "{}",
    '{"type":7}',
    '{"type":"close"}',
    '{"type":"error"}',
  ]) {
    peer.sendRaw(raw);
  }
  peer.sendRaw(Buffer.from([0, 1, 2]));
  peer.send({ type: "disconnected" });
  await peer.deliver({ command: "/gantry" });

  expect(bot.bodies).toEqual([{ command: "/gantry" }]);
});

test.each([
  ["of a kind that Slack may add", { type: "agent_request" }, { some: "thing" }],
  ["without a payload", { payload: undefined }, {}],
  ["with a payload that is no object", { payload: null }, {}],
])("a delivery %s is acked at once", async (_, more, body) => {
  const slack = await slackSockets();
  const bot = socketTransport(slack);
  const [peer] = await bot.connected();

  expect(await peer.deliver(body, more)).toBe(undefined);
});

test("an event is acked before it is handled", async () => {
  const slack = await slackSockets();
  const bot = socketTransport(slack, { route: () => new Promise(() => undefined) });
  const [peer] = await bot.connected();
  const event = { type: "event_callback", event_id: "Ev1", event: { type: "app_mention", user: "U1", channel: "C1" } };

  expect(await peer.deliver(event, { type: "events_api", retry_attempt: 1, retry_reason: "timeout" })).toBe(undefined);
  await until(() => bot.bodies.length === 1);
});

test("a command that breaks outside the router gets an answer with a reference", async () => {
  const slack = await slackSockets();
  const bot = socketTransport(slack, { route: () => Promise.reject(new Error("broken")) });
  const [peer] = await bot.connected();

  const answer = await peer.deliver({ command: "/gantry", team_id: "T1" });

  expect(answer).toMatchObject({
    response_type: "ephemeral",
    text: expect.stringContaining("Something went wrong in Gantry. Nothing was changed. Try again."),
  });
  expect(bot.logged()).toContain(/Reference (\w{8})/u.exec(JSON.stringify(answer))?.[1]);
});

test("a delivery whose connection breaks before its ack is told to the router", async () => {
  const slack = await slackSockets();
  const results: unknown[] = [];
  const bot = socketTransport(slack, {
    async route(_, ack) {
      await until(() => !peer.isOpen());
      results.push(await ack({ text: "late" }).catch((error: unknown) => error));
    },
  });
  const [peer] = await bot.connected();

  peer.begin({ command: "/gantry", team_id: "T1" });
  await until(() => bot.bodies.length === 1);
  peer.cut();
  await until(() => results.length === 1);

  expect(results).toEqual([
    expect.objectContaining({ constructor: expect.objectContaining({ name: "AckLostError" }) }),
  ]);
});

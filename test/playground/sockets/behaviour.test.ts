import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Connection, socketApp, startSocketWorld } from "../support/small-socket-app.ts";
import { input, long, many, modal, plain } from "../support/samples.ts";

// What Slack's end of Socket Mode does: a step that shows each fact, and what must not happen one step further.

type World = Awaited<ReturnType<typeof startSocketWorld>>;

let world: World;
beforeEach(async () => {
  world = await startSocketWorld();
});
afterEach(async () => {
  await world.stop();
});

const dana = () => world.playground.as("dana");
const ended = (connection: Connection): Promise<unknown> => once(connection.socket, "close");
const heads = (connection: Connection) => connection.envelopes().map(({ payload: _payload, ...head }) => head);

function payloadOf(envelope: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  return (envelope?.["payload"] ?? {}) as Record<string, unknown>; // Slack sends JSON objects
}

/** The ack of the newest delivery isn't there when Slack gives up. */
function passAckLimit(): Promise<void> {
  const sent = () => world.playground.transcript().filter(({ direction }) => direction === "to bot");
  return world.passAckLimit(expect.poll(() => sent().every(({ ms }) => ms !== undefined)).toBe(true));
}

async function another(changes: Parameters<typeof startSocketWorld>[0]): Promise<void> {
  await world.stop();
  world = await startSocketWorld(changes);
}

const shown: Readonly<Record<string, () => Promise<void>>> = {
  "a connection begins with hello, which has the number of connections and the time until the refresh": async () => {
    await world.connect();
    const second = await world.connect();

    expect(second.frames).toEqual([
      {
        type: "hello",
        num_connections: 2,
        debug_info: { host: "applink-2", build_number: 10, approximate_connection_time: 3600 },
        connection_info: { app_id: "A0GANTRY" },
      },
    ]);
  },
  "a delivery is the payload of an envelope: an id of its own, a type, accepts_response_payload": async () => {
    await another({ app: { ...socketApp, hasOptionsUrl: false } });
    const connection = await world.connect();
    connection.answer = (payload) => (payload["type"] === "block_suggestion" ? { options: [] } : undefined);
    const typed = await dana().says("/gantry list");
    const { trigger_id } = payloadOf(connection.envelopes()[0]);
    await world.call("views.open", {
      trigger_id,
      view: modal({
        blocks: [{ ...input({ type: "external_select", action_id: "find" }), optional: true }],
        submit: plain(),
      }),
    });
    await dana().searches("find", "web");
    await dana().submits();
    await dana().says("hello @gantry");
    await dana().uses("create");

    expect(typed).toMatchObject({ acked: true, status: undefined });
    expect(heads(connection)).toEqual([
      { envelope_id: expect.any(String), type: "slash_commands", accepts_response_payload: true },
      { envelope_id: expect.any(String), type: "interactive", accepts_response_payload: true },
      { envelope_id: expect.any(String), type: "interactive", accepts_response_payload: true },
      { envelope_id: expect.any(String), type: "events_api", accepts_response_payload: false },
      { envelope_id: expect.any(String), type: "interactive", accepts_response_payload: false },
    ]);
    expect(new Set(heads(connection).map((head) => head["envelope_id"])).size).toBe(5);
    expect(world.playground.transcript().filter(({ refusal }) => refusal !== undefined)).toEqual([]);
  },
  "each delivery goes to any of up to 10 connections (ours: to each in turn)": async () => {
    const connections = [await world.connect(), await world.connect(), await world.connect()];
    for (const verb of ["list", "show web", "help", "list"]) await dana().says(`/gantry ${verb}`);
    const [first, second, third] = connections.map((each) => each.envelopes().length);

    expect([first, second, third]).toEqual([2, 1, 1]);
  },
  "an event without an ack in time comes again in another envelope, with its number and reason": async () => {
    const first = await world.connect();
    const second = await world.connect();
    first.answer = second.answer = () => "never";
    await world.passAckLimit(dana().says("hello @gantry"));
    world.pass(0);
    await passAckLimit();
    world.pass(60_000);
    await passAckLimit();
    first.answer = second.answer = () => undefined;
    world.pass(300_000);
    await expect.poll(() => [first, second].map((each) => each.envelopes().length)).toEqual([2, 2]);
    const all = [...first.envelopes(), ...second.envelopes()];
    const ids = all.map((envelope) => payloadOf(envelope)["event_id"]);

    expect(new Set(ids).size).toBe(1);
    expect(new Set(all.map((each) => each["envelope_id"])).size).toBe(4);
    expect(all.map((each) => [each["retry_attempt"], each["retry_reason"]])).toEqual([
      [undefined, undefined],
      [2, "timeout"],
      [1, "timeout"],
      [3, "timeout"],
    ]);
  },
  "a connection gets a warning 10 s before its end, then refresh_requested, and is closed": async () => {
    const old = await world.connect();
    world.playground.links.refresh();
    await expect.poll(() => old.told()).toEqual(["warning"]);
    const fresh = await world.connect();
    world.pass(9_999);
    for (const verb of ["list", "help"]) await dana().says(`/gantry ${verb}`);
    const before = [old, fresh].map((each) => each.envelopes().length);
    old.answer = () => "never";
    const typed = dana().says("/gantry list");
    await expect.poll(() => old.envelopes().length).toBe(2);
    world.pass(1);
    await expect.poll(() => old.told()).toEqual(["warning", "refresh_requested"]);
    for (const verb of ["list", "help"]) await dana().says(`/gantry ${verb}`);
    old.send({ envelope_id: old.envelopes()[1]?.["envelope_id"] });
    const { acked } = await typed;
    const closed = ended(old);
    world.pass(3_000);
    await closed;

    expect(before).toEqual([1, 1]);
    expect(acked).toBe(true);
    expect([old, fresh].map((each) => each.envelopes().length)).toEqual([2, 3]);
    expect(world.playground.links.names()).toEqual(["applink-2"]);
  },
  "a connection is refreshed after the time in its hello; debug_reconnects makes that 360 s": async () => {
    const usual = await world.connect();
    const short = await world.connect("&debug_reconnects=true");
    expect([usual, short].map((each) => each.hello()?.["debug_info"] as object)).toMatchObject([
      { approximate_connection_time: 3600 },
      { approximate_connection_time: 360 },
    ]);
    world.pass(349_999);
    expect(short.told()).toEqual([]);
    world.pass(1);
    await expect.poll(() => short.told()).toEqual(["warning"]);
    world.pass(10_000);
    await expect.poll(() => short.told()).toEqual(["warning", "refresh_requested"]);
    expect(usual.told()).toEqual([]);
    world.pass(3_230_000);
    await expect.poll(() => usual.told()).toEqual(["warning"]);
  },
  "when Socket Mode is turned off, every connection gets link_disabled and is closed": async () => {
    const connections = [await world.connect(), await world.connect()];
    world.playground.links.turnOff();
    const closed = Promise.all(connections.map(ended));
    world.pass(3_000);
    await closed;
    const off = await dana().says("/gantry list");
    world.playground.links.turnOn();
    await world.connect();
    const on = await dana().says("/gantry list");

    expect(connections.map((each) => each.told())).toEqual([["link_disabled"], ["link_disabled"]]);
    expect([off.error, on.acked]).toEqual(["dispatch_failed", true]);
  },
  "a dead connection gets no warning: frames and pings go nowhere": async () => {
    const dead = await world.connect();
    const alive = await world.connect();
    let pongs = 0;
    dead.socket.on("pong", () => (pongs += 1));
    alive.socket.on("pong", () => (pongs += 10));
    world.playground.links.silence();
    dead.socket.ping();
    alive.socket.ping();
    await expect.poll(() => pongs).toBe(10);
    for (const verb of ["list", "help"]) await dana().says(`/gantry ${verb}`);

    expect([dead, alive].map((each) => each.envelopes().length)).toEqual([0, 2]);
    expect([dead.socket.readyState, dead.told()]).toEqual([dead.socket.OPEN, []]);
    expect(pongs).toBe(10);
  },
};

test.each([
  [
    "message.blocks",
    { blocks: many(50, () => ({ type: "divider" })) },
    { blocks: many(51, () => ({ type: "divider" })) },
  ],
  ["message.text", { text: long(40_000) }, { text: long(40_001) }],
])("the payload of an ack keeps to %s", async (rule, kept, broken) => {
  const connection = await world.connect();
  connection.answer = () => ({ text: "x", ...kept });
  const fine = await dana().says("/gantry list");
  connection.answer = () => ({ text: "x", ...broken });
  const refused = await dana().says("/gantry list");

  expect([fine.acked, fine.refusal]).toEqual([true, undefined]);
  expect(refused.refusal?.rule).toBe(rule);
  expect(dana().sees()).toHaveLength(1);
});

test.each(Object.entries(shown))("%s", async (_id, show) => {
  expect.hasAssertions();

  await show();
});

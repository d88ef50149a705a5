import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Connection, connectTo, startSocketWorld } from "../support/small-socket-app.ts";
import { appToken } from "../support/small-world.ts";

// What can go wrong between Slack and an app in Socket Mode, each as a switch of the playground.

let world: Awaited<ReturnType<typeof startSocketWorld>>;
beforeEach(async () => {
  world = await startSocketWorld();
});
afterEach(async () => {
  await world.stop();
});

const dana = () => world.playground.as("dana");
const ended = (connection: Connection): Promise<unknown> => once(connection.socket, "close");

test("Slack forgets a connection that answers no ping, and picks it until then", async () => {
  const dead = await world.connect();
  dead.socket.pause();
  for (const _ping of [1, 2, 3]) world.pass(10_000);
  const before = await world.passAckLimit(dana().says("/gantry list"));
  world.pass(10_000);
  const after = await dana().says("/gantry list");

  expect([before.error, after.error]).toEqual(["operation_timeout", "dispatch_failed"]);
  expect(world.playground.links.names()).toEqual([]);
});

test("a connection that answers pings is kept", async () => {
  const alive = await world.connect();
  let pings = 0;
  alive.socket.on("ping", () => (pings += 1));
  for (const ping of [1, 2, 3, 4, 5]) {
    world.pass(10_000);
    await expect.poll(() => pings).toBe(ping);
    // A frame after the pong: once it is refused, the pong has arrived too.
    alive.send("still here");
    await expect.poll(() => world.playground.transcript().length).toBe(2 + ping);
  }

  expect(await dana().says("/gantry list")).toMatchObject({ acked: true });
});

test("a refresh may come without a warning", async () => {
  const connection = await world.connect();
  world.playground.links.refresh({ warnMs: 0 });
  await expect.poll(() => connection.told()).toEqual(["refresh_requested"]);

  expect(await dana().says("/gantry list")).toMatchObject({ error: "dispatch_failed" });
});

test("what arrives twice comes on two connections", async () => {
  const connections = [await world.connect(), await world.connect()];
  world.playground.faults.deliverTwice = true;
  await dana().says("hello @gantry");
  await expect.poll(() => connections.map((each) => each.envelopes().length)).toEqual([1, 1]);
  const [one, other] = connections.map((each) => each.envelopes()[0]);

  expect(other?.["payload"]).toEqual(one?.["payload"]);
  expect(other?.["envelope_id"]).not.toBe(one?.["envelope_id"]);
});

test("a connection that breaks off loses what was not acked", async () => {
  const connection = await world.connect();
  connection.answer = () => "never";
  const typed = dana().says("/gantry list");
  await expect.poll(() => connection.envelopes().length).toBe(1);
  connection.socket.terminate();

  expect(await typed).toMatchObject({ acked: false, error: "dispatch_failed" });
});

test("hello may be missing, and the places of an app may be taken by others", async () => {
  const { faults, links } = world.playground;
  links.mute(true);
  const { url } = await world.call("apps.connections.open", {}, appToken);
  const mute = connectTo(String(url));
  await once(mute.socket, "open");
  const typed = await dana().says("/gantry list");
  links.mute(false);
  links.fill(true);
  const refused = await world.connect();
  await ended(refused);
  faults.clear();
  await world.connect();

  expect(mute.frames).toEqual([]);
  expect(typed.error).toBe("dispatch_failed");
  expect(refused.told()).toEqual(["too_many_websockets"]);
  expect(await dana().says("/gantry list")).toMatchObject({ acked: true });
});

test("while the network is cut nothing arrives, and afterwards what was under way does", async () => {
  const connection = await world.connect();
  const { network } = world.playground.faults;
  network.cut();
  const typed = await world.passAckLimit(dana().says("/gantry list"));
  connection.socket.ping();
  const asked = fetch(`${world.url}/api/auth.test`, {
    method: "POST",
    headers: { authorization: "Bearer xoxb-for-tests" },
  });
  const [pong, pinged] = [once(connection.socket, "pong"), connection.envelopes().length];
  network.restore();
  await pong;
  const answer = await (await asked).json();
  await expect.poll(() => connection.envelopes().length).toBe(1);

  expect([typed.error, pinged]).toEqual(["operation_timeout", 0]);
  expect(answer).toMatchObject({ ok: true });
  expect(await dana().says("/gantry list")).toMatchObject({ acked: true });
});

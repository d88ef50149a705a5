import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { actOnPage, type LivePage, openPage } from "../support/live-page.ts";
import { startSocketWorld } from "../support/small-socket-app.ts";
import { running } from "../support/small-world.ts";
import { app } from "../support/small-world.ts";

// The switches for the network and the connections on the page, and what the page shows of them.

let world: Awaited<ReturnType<typeof startSocketWorld>>;
let page: LivePage;
beforeEach(async () => {
  world = await startSocketWorld(running);
  page = await openPage(world.url, "dana");
});
afterEach(async () => {
  await page.close();
  await world.stop();
});

const does = async (body: object) =>
  expect(await actOnPage(world.url, "faults", { ...body })).toMatchObject({ status: 200 });
const sockets = () => page.workspace().snapshot?.faults.sockets;

test("the page counts the open connections", async () => {
  const first = await world.connect();
  await world.connect();
  await page.until(() => sockets()?.open.length === 2);
  first.socket.close();
  await page.until(() => sockets()?.open.length === 1);

  expect(sockets()).toEqual({ isOn: true, isFull: false, isMute: false, open: ["applink-2"] });
});

test("connections are refreshed, silenced and dropped", async () => {
  const refreshed = await world.connect();
  await does({ sockets: "refresh" });
  await expect.poll(() => refreshed.told()).toEqual(["warning"]);
  await does({ sockets: "silence" });
  expect(world.playground.links.names()).toEqual([]);
  const dropped = await world.connect();
  const closed = once(dropped.socket, "close");
  await does({ sockets: "drop" });
  await closed;

  expect(dropped.told()).toEqual([]);
});

test("Socket Mode is turned off, full, or mute, and all of it ends with the other faults", async () => {
  const connection = await world.connect();
  await does({ sockets: "off" });
  await expect.poll(() => connection.told()).toEqual(["link_disabled"]);
  await does({ sockets: "full" });
  await does({ sockets: "mute" });
  await page.until(() => sockets()?.isMute === true);
  const switched = sockets();
  await does({ sockets: "free" });
  await does({ sockets: "greeted" });
  await page.until(() => sockets()?.isMute === false);
  const back = sockets();
  await does({ sockets: "full" });
  await does({ clear: true });
  await page.until(() => sockets()?.isOn === true);

  expect(switched).toMatchObject({ isOn: false, isFull: true, isMute: true });
  expect(back).toMatchObject({ isOn: false, isFull: false, isMute: false });
  expect(sockets()).toMatchObject({ isFull: false, isMute: false });
  expect((await world.connect()).hello()).toBeDefined();
});

test("the network is cut and restored", async () => {
  await does({ network: "cut" });
  await page.until((now) => now.snapshot?.faults.isNetworkCut === true);
  await does({ network: "whole" });
  await page.until((now) => now.snapshot?.faults.isNetworkCut === false);

  expect(world.playground.faults.network.isCut()).toBe(false);
});

test("a delivery is shown with its connection and its envelope, and one without an ack says so", async () => {
  const connection = await world.connect();
  await world.playground.as("dana").says("/gantry list");
  connection.socket.close();
  await expect.poll(() => world.playground.links.names()).toEqual([]);
  await world.playground.as("dana").says("/gantry help");
  const isDone = ({ kind, ms }: { kind: string; ms: number | null }): boolean =>
    kind === "slash_command" && ms !== null;
  await page.until((now) => now.exchanges.filter(isDone).length === 2);
  const opening = page.workspace().exchanges.find(({ kind }) => kind === "connection");
  const [acked, lost] = page.workspace().exchanges.filter(isDone);
  const answer = await fetch(`${world.url}/playground/exchanges/${acked?.id}`);
  const [envelope] = connection.envelopes();

  expect(opening).toMatchObject({ direction: "from bot", status: 101, outcome: "ok" });
  expect(acked).toMatchObject({ connection: "applink-1", status: null, outcome: "ok", refusal: null });
  expect(lost).toMatchObject({ connection: null, outcome: "dispatch_failed", refusal: { rule: "socket.connected" } });
  expect(await answer.json()).toMatchObject({
    request: { command: "/gantry", text: "list" },
    envelope: { envelope_id: envelope?.["envelope_id"], type: "slash_commands", accepts_response_payload: true },
  });
});

test("over HTTP the page has no connections to show", async () => {
  await world.stop();
  world = await startSocketWorld({ ...running, app });
  const other = await openPage(world.url, "dana");

  expect(other.workspace().snapshot?.faults.sockets).toBeNull();
  await other.close();
});

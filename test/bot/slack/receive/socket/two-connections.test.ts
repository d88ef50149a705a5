import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { until } from "../../../../support/until.ts";
import { type Peer, slackSockets } from "./support/slack-sockets.ts";
import { socketTransport } from "./support/started.ts";

const command = { command: "/gantry", text: "list" };

test("Slack may deliver over either of two connections, and gets the answer in the ack", async () => {
  const slack = await slackSockets();
  const bot = socketTransport(slack, { route: (_, ack) => ack({ text: "hello" }) });

  const peers = await bot.connected();

  expect(await Promise.all(peers.map((peer) => peer.deliver(command)))).toEqual([{ text: "hello" }, { text: "hello" }]);
  expect(bot.missing()).toEqual([]);
});

test("Slack's count without our own connections is another process's, and a new count closes none that may deliver", async () => {
  const slack = await slackSockets();
  const bot = socketTransport(slack);
  await bot.connected();
  expect(bot.others?.counted()).toBe(0);

  const other = socketTransport(slack);
  await other.start();
  await slack.has(4);
  await until(() => other.opened() === 2);
  expect(other.others?.counted()).toBe(2);
  expect(bot.others?.counted()).toBe(0);

  expect(await bot.others?.recount()).toBe(2);
  expect(bot.others?.counted()).toBe(2);
  bot.passSeconds(60);
  const peers = await slack.has(5);
  await Promise.all(peers.map((peer) => peer.deliver(command)));
});

test("the connection of the last count is closed at the next one, once that is open, or soon after Slack announced its end", async () => {
  const slack = await slackSockets();
  const bot = socketTransport(slack);
  const two = await bot.connected();

  await bot.others?.recount();
  await bot.others?.recount();
  const [, , third, fourth] = (await slack.has(4)) as readonly [Peer, Peer, Peer, Peer]; // there are four
  await third.deliver(command);
  bot.passSeconds(15);
  await slack.has(3);
  expect(third.isOpen()).toBe(false);

  fourth.send({ type: "disconnect", reason: "warning" });
  await until(() => bot.links().length === 2);
  bot.passSeconds(15);
  expect(await slack.has(2)).toEqual(two);
  expect(bot.opened()).toBe(4);
});

test("nothing is counted where Slack takes no further connection, or doesn't count, or after a stop", async () => {
  const slack = await slackSockets();
  const bot = socketTransport(slack);
  await bot.connected();

  slack.greet("too many");
  expect(await bot.others?.recount()).toBeUndefined();
  slack.greet("no count");
  expect(await bot.others?.recount()).toBeUndefined();
  expect(bot.missing()).toEqual([]);

  slack.greet("hello");
  await bot.stop();
  expect(await bot.others?.recount()).toBeUndefined();
  await slack.has(0);
});

test("an announced refresh opens the next connection first, and what comes over the old one is still acked", async () => {
  const slack = await slackSockets();
  const bot = socketTransport(slack);
  const [old, other] = await bot.connected();
  bot.passSeconds(60);

  old.send({ type: "disconnect", reason: "warning" });
  old.send({ type: "disconnect", reason: "refresh_requested" });
  const three = await slack.has(3);
  await old.deliver(command);
  old.close();

  expect(three).toContain(old);
  expect(await slack.has(2)).not.toContain(old);
  expect(other.isOpen()).toBe(true);
  expect(slack.calls()).toBe(3);
});

test("an announced connection that Slack leaves open is closed some time after its replacement opened", async () => {
  const slack = await slackSockets();
  const bot = socketTransport(slack);
  const [old] = await bot.connected();
  bot.passSeconds(60);

  old.send({ type: "disconnect", reason: "refresh_requested" });
  await until(() => bot.opened() === 3);
  const wasOpen = old.isOpen();
  bot.passSeconds(15);
  await until(() => !old.isOpen());

  expect(wasOpen).toBe(true);

  expect(slack.open()).toHaveLength(2);
});

test("while Slack is away at a refresh, the announced connection goes on to serve", async () => {
  const slack = await slackSockets();
  const bot = socketTransport(slack);
  const peers = await bot.connected();

  slack.answer({ status: 503 });
  for (const peer of peers) peer.send({ type: "disconnect", reason: "warning" });
  await bot.inTime(() => slack.calls() > 8);

  await Promise.all(peers.map((peer) => peer.deliver(command)));
  expect(bot.missing()).toEqual([]);
  slack.answer("ticket");
  await bot.inTime(() => slack.open().filter((peer) => !peers.includes(peer)).length === 2);
});

test("after a cut network the other connection serves, and a second one is opened again", async () => {
  const slack = await slackSockets();
  const bot = socketTransport(slack);
  const [cut, other] = await bot.connected();

  cut.cut();

  await other.deliver(command);
  await bot.inTime(() => slack.peers().length === 3 && slack.open().length === 2);
  expect(bot.missing()).toEqual([]);
});

test("a peer that answers no pings is replaced", async () => {
  const slack = await slackSockets();
  const bot = socketTransport(slack, { pongWithinMs: 60 });
  const [dead] = await bot.connected();

  dead.freeze();

  await bot.inTime(() => slack.peers().length >= 3);
  expect(bot.logged()).toContain("replacing a connection to Slack");
});

test("without any connection the bot isn't ready, and says what happened to the last one", async () => {
  const slack = await slackSockets();
  const bot = socketTransport(slack);
  const peers = await bot.connected();

  slack.answer({ error: "internal_error" });
  for (const peer of peers) peer.cut();

  await bot.inTime(() => bot.missing().length > 0 && slack.calls() > 4);
  expect(bot.missing()).toEqual(["No connection to Slack is open (internal_error)"]);
  slack.answer("ticket");
  await bot.inTime(() => bot.missing().length === 0);
});

test("a stop acks what has arrived before it closes, and nothing is opened after it", async () => {
  const slack = await slackSockets();
  const { promise: working, resolve: done } = Promise.withResolvers<void>();
  const bot = socketTransport(slack, { route: (_, ack) => working.then(() => ack({ text: "done" })) });
  const [peer] = await bot.connected();
  const answer = peer.deliver(command);
  await until(() => bot.bodies.length === 1);

  const stopped = bot.stop();
  await until(() => slack.open().length === 1);
  done();

  expect(await answer).toEqual({ text: "done" });
  await stopped;
  await slack.has(0);
  expect(slack.calls()).toBe(2);
});

test("a stop while a connection is being opened leaves none behind", async () => {
  const slack = await slackSockets();
  slack.greet("nothing");
  const bot = socketTransport(slack);
  const starting = bot.start();
  await slack.has(2);

  await bot.stop();
  await starting;
  await slack.has(0);
  await nextTurn();

  expect(slack.calls()).toBe(2);
});

import { expect, test } from "vitest";
import { until } from "../../../../support/until.ts";
import { slackSockets } from "./support/slack-sockets.ts";
import { socketTransport } from "./support/started.ts";

const token =
  "Create an app-level token with the connections:write scope on your app's page, under Basic Information → App-Level Tokens, and set SLACK_APP_TOKEN to it.";

test.each([
  ["invalid_auth", `Slack rejected SLACK_APP_TOKEN (invalid_auth). ${token}`],
  ["token_revoked", `Slack rejected SLACK_APP_TOKEN (token_revoked). ${token}`],
  ["not_allowed_token_type", `Slack rejected SLACK_APP_TOKEN (not_allowed_token_type). ${token}`],
  ["missing_scope", `Slack rejected SLACK_APP_TOKEN (missing_scope). ${token}`],
  [
    "account_inactive",
    "Slack rejected SLACK_APP_TOKEN (account_inactive). Ask an admin of your workspace to allow or reinstall the app.",
  ],
])("%s at the start ends it with what to do", async (error, sentence) => {
  const slack = await slackSockets();
  slack.answer({ error });
  const bot = socketTransport(slack);

  await expect(bot.start()).rejects.toThrow(sentence);
  expect(bot.refusals).toEqual([]);
});

test("a token revoked later ends the bot once Slack has said it three times", async () => {
  const slack = await slackSockets();
  const bot = socketTransport(slack);
  const peers = await bot.connected();

  slack.answer({ error: "token_revoked" });
  for (const peer of peers) peer.close();
  await bot.inTime(() => bot.refusals.length > 0);

  expect(bot.refusals).toEqual([`Slack rejected SLACK_APP_TOKEN (token_revoked). ${token}`]);
  expect(slack.calls()).toBeGreaterThanOrEqual(5);
});

test("one wrong invalid_auth in an outage of Slack's ends nothing", async () => {
  const slack = await slackSockets();
  const bot = socketTransport(slack);
  const [peer] = await bot.connected();

  slack.answer({ error: "invalid_auth" }, "ticket");
  peer.close();
  await bot.inTime(() => slack.calls() === 4);

  await slack.has(2);
  expect(bot.refusals).toEqual([]);
});

test("when somebody turns Socket Mode off, the bot ends and says so", async () => {
  const slack = await slackSockets();
  const bot = socketTransport(slack);
  const [peer] = await bot.connected();

  peer.send({ type: "disconnect", reason: "link_disabled" });
  await until(() => bot.refusals.length > 0);

  expect(bot.refusals).toEqual([
    "Socket Mode is turned off for the Slack app (link_disabled). Turn it on on your app's page, under Socket Mode, or set SLACK_SIGNING_SECRET instead of SLACK_APP_TOKEN.",
  ]);
});

test("with ten connections of other processes, one is kept and the second tried again later", async () => {
  const slack = await slackSockets();
  const bot = socketTransport(slack);
  const [first, second] = await bot.connected();
  bot.passSeconds(60);

  slack.greet("too many");
  second.cut();
  await until(() => slack.peers().length === 3 && slack.open().length === 1);

  await first.deliver({ command: "/gantry", text: "list" });
  expect(bot.missing()).toEqual([]);
  expect(bot.refusals).toEqual([]);
  expect(slack.calls()).toBe(3);
  await until(() => bot.logged().includes("too_many_websockets"));
  slack.greet("hello");
  bot.passSeconds(10);
  await slack.has(2);
});

test("Slack being away doesn't keep the bot from starting: it is ready when Slack is back", async () => {
  const slack = await slackSockets();
  slack.answer({ status: 503 });
  const bot = socketTransport(slack);

  const starting = bot.start();
  await until(() => slack.calls() >= 2);
  bot.passSeconds(10);
  const { port } = await starting;
  const ready = (): Promise<Response> => fetch(`http://127.0.0.1:${port}/readyz`);
  const away = await ready();
  slack.answer("ticket");
  await bot.inTime(async () => (await ready()).ok);

  expect(away.status).toBe(503);
  expect(await away.json()).toEqual({
    status: "not ready",
    missing: [expect.stringContaining("No connection to Slack")],
  });
});

test("a token that is refused only after such a start still ends the bot", async () => {
  const slack = await slackSockets();
  slack.answer({ status: 503 });
  const bot = socketTransport(slack);
  const starting = bot.start();
  await until(() => slack.calls() >= 2);
  bot.passSeconds(10);
  await starting;

  slack.answer({ error: "invalid_auth" });

  await bot.inTime(() => bot.refusals.length > 0);
  expect(bot.refusals).toEqual([`Slack rejected SLACK_APP_TOKEN (invalid_auth). ${token}`]);
});

test("a Slack that never says hello, or never answers, is asked again", async () => {
  const slack = await slackSockets();
  slack.greet("nothing");
  const bot = socketTransport(slack);
  const starting = bot.start();
  await slack.has(2);
  bot.passSeconds(10);
  await starting;
  await bot.inTime(() => slack.calls() > 3);
  const answered = bot.logged().length;
  slack.answer("silence");
  bot.passSeconds(10);
  await bot.inTime(() => slack.calls() > 5);
  slack.answer("ticket");
  slack.greet("hello");
  bot.passSeconds(10);
  await bot.inTime(() => bot.missing().length === 0);

  expect(bot.logged().slice(answered)).toContain("Slack said no hello");
});

import { expect, test } from "vitest";
import { sealTokens, openTokens } from "../../../../src/bot/slack/install/oauth.ts";
import { sourceOf } from "../../../../src/bot/slack/receive/payload.ts";
import { deliver } from "../../../support/deliver.ts";
import { installedBot, type InstalledBot } from "../../../support/installed-bot.ts";
import { card } from "../../../support/speak.ts";
import type { Town } from "../../../support/two-workspaces.ts";

/** An event about the installation, as Slack sends it at that moment. */
async function tells(
  bot: InstalledBot,
  { teamId }: Town,
  { event, atMs = bot.now().getTime() }: { readonly event: object; readonly atMs?: number },
): Promise<void> {
  const authorizations = [{ team_id: teamId, enterprise_id: null, user_id: "U0BOT", is_bot: true }];
  const payload = { type: "event_callback", team_id: teamId, authorizations, event_id: `Ev${atMs}`, event };
  const body = JSON.stringify({ ...payload, event_time: Math.floor(atMs / 1_000) });
  const { status } = await deliver(
    { signingSecret: bot.slack.signingSecret, botUrl: bot.url },
    { body, type: "application/json" },
  );
  expect(status).toBe(200);
  await bot.settled();
}

async function installationOf({ store }: InstalledBot, { teamId }: Town) {
  const installation = await store().installationOf(teamId);
  if (installation === undefined) throw new Error("it isn't installed");
  return installation;
}

test("tokens of a person that are revoked end nothing: Gantry has none of people", async () => {
  await using bot = await installedBot();
  const { playground, accounts } = bot;
  await bot.sets(playground, accounts.playground);
  const later = bot.now().getTime() + 60_000;

  await tells(bot, playground, {
    event: { type: "tokens_revoked", tokens: { oauth: [playground.developer.id], bot: [] } },
    atMs: later,
  });

  expect(await bot.says(playground.developer, "/gantry list")).toContain("web");
  expect(await installationOf(bot, playground)).toBeDefined();
});

test("the end of an earlier installation that is told late doesn't end the one of now", async () => {
  await using bot = await installedBot();
  const { playground, accounts } = bot;
  await bot.sets(playground, accounts.playground);

  const early = (await installationOf(bot, playground)).installedAt.getTime() - 60_000;
  for (const type of ["app_uninstalled", "tokens_revoked"]) {
    await tells(bot, playground, { event: { type, tokens: { oauth: [], bot: ["U0BOT"] } }, atMs: early });
  }
  // Slack is asked once a minute, until nobody doubts it any more.
  for (let minute = 0; minute < 3; minute += 1) {
    bot.passMinutes(2);
    await bot.sweep();
    await bot.settled();
  }

  expect(await bot.says(playground.developer, "/gantry list")).toContain("web");
  bot.passMinutes(60);
  expect(await bot.store().takeDue({ kind: "doubt", leaseMs: 0, most: 9 })).toEqual([]);
});

test("a token that another replica has renewed is used from the next sweep on", async () => {
  await using bot = await installedBot({ rotates: true });
  const { playground, accounts } = bot;
  await bot.sets(playground, accounts.playground);
  const { apiUrl } = bot.slack.access;
  const { clientId, clientSecret } = bot.slack.client;
  // As the other replica does it, until Slack takes none of the tokens of before.
  for (let renewals = 0; renewals < 3; renewals += 1) {
    const installation = await installationOf(bot, playground);
    const { refreshToken = "" } = openTokens(bot.sealer, installation);
    const grant = { client_id: clientId, client_secret: clientSecret, grant_type: "refresh_token" };
    const answer = await fetch(`${apiUrl}oauth.v2.access`, {
      method: "POST",
      body: new URLSearchParams({ ...grant, refresh_token: refreshToken }),
    });
    const renewed = (await answer.json()) as { access_token: string; refresh_token: string; expires_in: number }; // Slack's answer
    const tokens = { botToken: renewed.access_token, refreshToken: renewed.refresh_token };
    await bot.store().rotated(installation, {
      sealedTokens: sealTokens(bot.sealer, installation, tokens),
      expiresAt: new Date(bot.now().getTime() + renewed.expires_in * 1_000),
    });
  }

  await bot.sweep();
  await bot.says(playground.developer, "/gantry delete web");

  expect(card(playground.developer)).toContain("0 of 1");
});

test.each([
  ["a view in a shared channel", { view: { app_installed_team_id: "T1" }, team: { id: "T2" } }, "T1"],
  [
    "a view of an organization's app",
    { view: { app_installed_team_id: "T1" }, team: null, user: { team_id: "T2" } },
    "T1",
  ],
  ["an event in a shared channel", { authorizations: [{ team_id: "T1" }], team_id: "T2" }, "T1"],
  ["a click on a message", { team: { id: "T1" }, user: { team_id: "T2" } }, "T1"],
  ["a command", { team_id: "T1", enterprise_id: "" }, "T1"],
  ["a shortcut of an organization's app", { team: null, user: { team_id: "T1" } }, "T1"],
])("the workspace of %s is the one with the app", (_what, payload, teamId) => {
  expect(sourceOf(payload).teamId).toBe(teamId);
});

import { expect, test } from "vitest";
import { SealError } from "../../../src/bot/accounts/seal.ts";
import { readPolicy } from "../../../src/bot/policy/read-policy.ts";
import { openTokens } from "../../../src/bot/slack/install/oauth.ts";
import { installs, newBrowser } from "../../support/browser.ts";
import { installedBot, type InstalledBot } from "../../support/installed-bot.ts";
import { othersApprove } from "../../support/policies.ts";
import { card, idOf } from "../../support/speak.ts";
import type { Town } from "../../support/two-workspaces.ts";

const approving = () => readPolicy(othersApprove, "policy.yaml");

/** What is stored of a workspace besides history. */
async function kept({ store }: InstalledBot, { teamId, developer }: Town) {
  const { workspace, own, channel } = await store().impliedFor({ teamId, userId: developer.id, channelId: "C0OPS" });
  return {
    installed: (await store().installationOf(teamId)) !== undefined,
    accounts: [workspace, own, channel].filter((account) => account !== undefined).length,
    pending: (await store().pendingChanges(teamId)).length,
  };
}

test("two workspaces install Gantry in a browser, and each acts with its own account", async () => {
  await using bot = await installedBot();
  const { playground, harbour, accounts } = bot;

  const page = await bot.install(playground);
  bot.invite(playground);
  const early = await bot.says(playground.developer, "/gantry list");
  const connected = await bot.connects(playground, accounts.playground);
  await bot.sets(harbour, accounts.harbour);
  const listed = [
    await bot.says(playground.developer, "/gantry list"),
    await bot.says(harbour.developer, "/gantry list"),
  ];

  expect(page).toMatchObject({ status: 200, text: expect.stringContaining("Gantry is installed in Playground") });
  expect(early).toContain("No account is connected for you, this channel or the workspace");
  expect(connected).toContain("for everybody in this workspace without another account");
  expect(listed).toEqual([expect.stringContaining("web"), expect.stringContaining("web")]);
  const users = bot.sent().flatMap(({ op, username }) => (op === "listServices" ? [username] : []));
  expect(new Set(users)).toEqual(new Set(["of-playground", "of-harbour"]));
});

test("only a workspace admin connects or disconnects the workspace's account", async () => {
  await using bot = await installedBot();
  const { playground, accounts } = bot;
  await bot.sets(playground, accounts.playground);

  const connect = await bot.says(playground.developer, "/gantry connect workspace");
  const disconnect = await bot.says(playground.developer, "/gantry disconnect workspace");
  const before = await kept(bot, playground);
  const byAdmin = await bot.says(playground.approver, "/gantry disconnect workspace");

  expect([connect, disconnect]).toEqual([
    expect.stringContaining("Only workspace admins can"),
    expect.stringContaining("Only workspace admins can"),
  ]);
  expect(before).toMatchObject({ accounts: 1 });
  expect(byAdmin).toContain("Disconnected the workspace's account");
  expect(await kept(bot, playground)).toMatchObject({ accounts: 0 });
});

test("a removed app leaves history and nothing else, and the other workspace doesn't notice", async () => {
  await using bot = await installedBot({ policy: approving });
  const { playground, harbour, accounts } = bot;
  await bot.sets(playground, accounts.playground);
  await bot.sets(harbour, accounts.harbour);
  await bot.says(playground.developer, "/gantry restart web");
  await bot.says(harbour.developer, "/gantry restart web");
  const id = idOf(card(playground.developer));

  await bot.slack.playground.installs.uninstall("playground");
  await bot.settled();

  expect(await kept(bot, playground)).toEqual({ installed: false, accounts: 0, pending: 0 });
  expect(await kept(bot, harbour)).toEqual({ installed: true, accounts: 1, pending: 1 });
  expect(await bot.store().find({ id })).toMatchObject({ state: "cancelled", sealed: "" });
  const history = await bot.store().history({ teamId: playground.teamId, limit: 9 });
  expect(history.map(({ kind }) => kind)).toEqual(["uninstalled", "cancelled", "requested", "connected", "installed"]);
  expect(await bot.says(harbour.approver, "/gantry pending")).toContain("Restart web");
});

test("after a removal the app is installed again: requests of before are over, and their cards say so", async () => {
  await using bot = await installedBot({ policy: approving });
  const { playground, accounts } = bot;
  await bot.sets(playground, accounts.playground);
  await bot.says(playground.developer, "/gantry restart web");
  await bot.slack.playground.installs.uninstall("playground");
  await bot.settled();

  await bot.sets(playground, accounts.playground);
  await bot.sweep();

  expect(card(playground.developer)).toContain("Cancelled by Gantry · nothing was changed");
  expect(card(playground.developer)).not.toContain("[Approve]");
  expect(await bot.says(playground.developer, "/gantry list")).toContain("web");
  expect(bot.sent().filter(({ op }) => op === "restartService")).toEqual([]);
});

test("revoked tokens end the workspace as well; people are told how to install it again", async () => {
  await using bot = await installedBot();
  const { playground, accounts } = bot;
  await bot.sets(playground, accounts.playground);

  await bot.slack.playground.installs.revokeTokens("playground");
  await bot.settled();

  expect(await kept(bot, playground)).toEqual({ installed: false, accounts: 0, pending: 0 });
  expect(await bot.says(playground.developer, "/gantry list")).toContain(
    `Gantry isn't installed in this workspace. Nothing was changed. To install it: ${bot.url()}/slack/install`,
  );
});

test("a token that Slack refuses ends the workspace too, if its event was lost", async () => {
  await using bot = await installedBot();
  const { playground, accounts } = bot;
  await bot.sets(playground, accounts.playground);
  const installation = await bot.store().installationOf(playground.teamId);
  await bot.slack.playground.installs.revokeTokens("playground");
  await bot.settled();
  if (installation === undefined) throw new Error("it was installed");
  await bot.store().saveInstallation(installation);

  await bot.restartBot();
  await bot.says(playground.developer, "/gantry list");
  await bot.sweep();

  expect(await kept(bot, playground)).toMatchObject({ installed: false });
});

test("an organization installs it for all its workspaces, which stay apart", async () => {
  await using bot = await installedBot();
  const { east, west, orgId, accounts } = bot;
  const page = await bot.install(east, orgId);
  const desk = bot.slack.playground.installs;
  for (const town of [east, west]) {
    await desk.addTo(town.workspace.teamId);
    bot.invite(town);
  }

  await bot.connects(east, accounts.playground);
  const inEast = await bot.says(east.developer, "/gantry list");
  const inWest = await bot.says(west.developer, "/gantry list");
  await bot.connects(west, accounts.harbour);
  await desk.removeFrom(east.workspace.teamId);
  await bot.settled();

  expect(page.text).toContain("Gantry is installed in");
  expect(inEast).toContain("web");
  expect(inWest).toContain("No account is connected");
  expect(await kept(bot, east)).toMatchObject({ accounts: 0 });
  expect(await kept(bot, west)).toMatchObject({ installed: true, accounts: 1 });

  await desk.uninstall(orgId);
  await bot.sweep();
  expect(await kept(bot, west)).toEqual({ installed: false, accounts: 0, pending: 0 });
});

test("a token that expires is renewed before, and what people do isn't interrupted", async () => {
  await using bot = await installedBot({ rotates: true });
  const { playground, accounts } = bot;
  await bot.sets(playground, accounts.playground);
  const tokenNow = async (): Promise<string> => {
    const installation = await bot.store().installationOf(playground.teamId);
    if (installation === undefined) throw new Error("it isn't installed");
    return openTokens(bot.sealer, installation).botToken;
  };
  const first = await tokenNow();

  bot.passMinutes(9 * 60);
  await bot.sweep();
  const early = await tokenNow();
  bot.passMinutes(2 * 60);
  await bot.sweep();
  const second = await tokenNow();
  await bot.sweep();
  bot.passMinutes(4 * 60);

  expect(early).toBe(first);
  expect(second).not.toBe(first);
  expect(await bot.says(playground.developer, "/gantry list")).toContain("web");
  expect(bot.slack.playground.installs.tokens("playground")).toContain(second);
});

test("a token that expired while no bot ran is renewed before the first command", async () => {
  await using bot = await installedBot({ rotates: true });
  const { playground, accounts } = bot;
  await bot.sets(playground, accounts.playground);

  bot.passMinutes(13 * 60);
  await bot.restartBot();

  expect(await bot.says(playground.developer, "/gantry list")).toContain("web");
});

test("a stranger's code, a foreign state and a cancelled page install nothing", async () => {
  await using bot = await installedBot();
  const { playground } = bot;
  const install = `${bot.url()}/slack/install`;
  const as = playground.approver.id;

  const cancelled = await installs(newBrowser(), install, { owner: playground.teamId, as, answer: "cancel" });
  const stranger = await newBrowser().open(`${bot.url()}/slack/oauth_redirect?code=made.up&state=made-up`);
  const withoutState = await newBrowser().open(`${bot.url()}/slack/oauth_redirect?code=made.up`);

  expect(cancelled).toMatchObject({ status: 400, text: expect.stringContaining("allow it in Slack.") });
  expect(stranger).toMatchObject({ status: 400, text: expect.stringContaining("in another browser") });
  expect(withoutState).toMatchObject({ status: 400, text: expect.stringContaining("without the one before it") });
  expect((await bot.store().installationVersions()).size).toBe(0);
});

test("a token is sealed for its workspace alone, and is in no log", async () => {
  await using bot = await installedBot();
  const { playground, harbour } = bot;
  await bot.install(playground);
  await bot.install(harbour);
  const [first, second] = await Promise.all(
    [playground, harbour].map(({ teamId }) => bot.store().installationOf(teamId)),
  );
  if (first === undefined || second === undefined) throw new Error("both were installed");

  const moved = { ...first, sealedTokens: second.sealedTokens };

  expect(() => openTokens(bot.sealer, moved)).toThrow(SealError);
  const { botToken } = openTokens(bot.sealer, first);
  expect(first.sealedTokens).not.toContain(botToken);
  expect(JSON.stringify(bot.logged())).not.toContain(botToken);
});

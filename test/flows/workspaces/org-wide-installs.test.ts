import { expect, test } from "vitest";
import { installedBot, type InstalledBot } from "../../support/installed-bot.ts";
import { card } from "../../support/speak.ts";

/** The organization has Gantry in both of its workspaces, each with an account. */
async function inBoth(bot: InstalledBot): Promise<void> {
  const { east, west, accounts } = bot;
  await bot.install(east, bot.orgId);
  for (const town of [east, west]) {
    await bot.slack.playground.installs.addTo(town.teamId);
    bot.invite(town);
  }
  await bot.connects(east, accounts.playground);
  await bot.connects(west, accounts.harbour);
}

function usersOf(bot: InstalledBot, op: string): readonly (string | null)[] {
  return bot.sent().flatMap((request) => (request.op === op ? [request.username] : []));
}

test("forms, shortcuts and Home work where Slack names only the person's workspace", async () => {
  await using bot = await installedBot();
  const { east } = bot;
  await inBoth(bot);

  await bot.says(east.developer, "/gantry scale web");
  await east.developer.submits({ Instances: "4" });
  await bot.settled();
  await east.developer.uses("create_workload");
  await bot.settled();
  const opened = east.developer.modal();
  await east.developer.closes();
  await east.developer.opensHome();
  await bot.settled();

  expect(usersOf(bot, "updateService")).toEqual([bot.accounts.playground.username]);
  expect(opened).toBeDefined();
  expect(JSON.stringify(east.developer.home()?.content)).toContain("web");
});

test("a workspace that the app is removed from loses what waits there, and the other keeps its own", async () => {
  await using bot = await installedBot();
  const { east, west } = bot;
  await inBoth(bot);
  await bot.says(east.developer, "/gantry delete web");
  await bot.says(west.developer, "/gantry delete web");

  await bot.slack.playground.installs.removeFrom(east.teamId);
  await bot.settled();
  await bot.sweep();
  await bot.clicks(west.approver, "Approve");

  expect(await bot.store().pendingChanges(east.teamId)).toEqual([]);
  expect(card(west.developer)).toContain("deleted");
  expect(usersOf(bot, "deleteService")).toEqual([bot.accounts.harbour.username]);
});

test("a workspace that was removed and added again starts without an account", async () => {
  await using bot = await installedBot();
  const { east } = bot;
  await inBoth(bot);

  await bot.slack.playground.installs.removeFrom(east.teamId);
  await bot.settled();
  expect((await east.developer.says("/gantry list")).error).toBe("invalid_command");
  await bot.slack.playground.installs.addTo(east.teamId);
  bot.invite(east);

  expect(await bot.says(east.developer, "/gantry list")).toContain("No account is connected");
});

test("what is asked about groups, channels and people names the workspace", async () => {
  await using bot = await installedBot();
  const { east } = bot;
  await inBoth(bot);
  await bot.says(east.approver, "/gantry list");

  const told = await bot.says(east.approver, "/gantry status");

  const about = new Set(["usergroups.list", "users.conversations", "users.info"]);
  const asked = east.workspace
    .transcript()
    .filter(({ direction, kind }) => direction === "from bot" && about.has(kind))
    .map(({ kind, request }) => ({ kind, team: (request as { team_id?: string }).team_id })); // the arguments of a method
  expect(new Set(asked.map(({ kind }) => kind))).toEqual(about);
  expect(new Set(asked.map(({ team }) => team))).toEqual(new Set([east.teamId]));
  expect(told).not.toContain("couldn't");
});

test("a workspace's own installation gives way to the organization's", async () => {
  await using bot = await installedBot();
  const { east, accounts } = bot;
  await bot.sets(east, accounts.playground);

  await bot.install(east, bot.orgId);
  await bot.slack.playground.installs.addTo(east.teamId);
  bot.invite(east);
  await bot.settled();
  await bot.sweep();

  expect(await bot.says(east.developer, "/gantry list")).toContain("No account is connected");
  await bot.connects(east, accounts.playground);
  expect(await bot.says(east.developer, "/gantry list")).toContain("web");
});

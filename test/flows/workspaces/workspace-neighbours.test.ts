import { expect, test } from "vitest";
import { readPolicy } from "../../../src/bot/policy/read-policy.ts";
import { installedBot, type InstalledBot } from "../../support/installed-bot.ts";
import { othersApprove } from "../../support/policies.ts";
import { card } from "../../support/speak.ts";
import { newest, type Person } from "../../support/world.ts";

// What one workspace does to another that also has Gantry: people in a shared channel, and trouble with Slack.

const approving = () => readPolicy(othersApprove, "policy.yaml");

/** The harbour's developer in the playground's #ops, which makes it a shared channel. */
function hanaVisits({ playground, harbour }: InstalledBot): Person {
  const { id, name } = harbour.developer;
  const { workspace } = playground;
  workspace.people.addOutsider({ id, name, realName: "Hana Sato", channel: "ops", teamId: harbour.teamId });
  return workspace.as(name);
}

async function both(policy?: () => ReturnType<typeof approving>): Promise<InstalledBot> {
  const bot = await installedBot(policy === undefined ? {} : { policy });
  await bot.sets(bot.playground, bot.accounts.playground);
  await bot.sets(bot.harbour, bot.accounts.harbour);
  await bot.createService(bot.accounts.playground, "secret-shop");
  return bot;
}

function usersOf(bot: InstalledBot, op: string): readonly (string | null)[] {
  return bot.sent().flatMap((request) => (request.op === op ? [request.username] : []));
}

test("somebody who types a command in another workspace's channel sees their own workspace's workloads", async () => {
  await using bot = await both();
  const hana = hanaVisits(bot);
  const before = bot.sent().length;

  const listed = await bot.says(hana, "/gantry list");

  expect(listed).not.toContain("secret-shop");
  const used = bot.sent().slice(before);
  expect(used.map(({ username }) => username)).not.toContain(bot.accounts.playground.username);
  expect(await bot.says(bot.playground.developer, "/gantry list")).toContain("secret-shop");
});

test("somebody of another workspace approves nothing there, although they see the card", async () => {
  await using bot = await both(approving);
  const hana = hanaVisits(bot);
  await bot.says(bot.playground.developer, "/gantry restart secret-shop");

  await bot.clicks(hana, "Approve");

  expect(card(hana)).toContain("secret-shop");
  expect(usersOf(bot, "restartService")).toEqual([]);
  expect(await bot.store().pendingChanges(bot.playground.teamId)).toHaveLength(1);
  await bot.clicks(bot.playground.approver, "Approve");
  expect(usersOf(bot, "restartService")).toEqual([bot.accounts.playground.username]);
});

test("Slack that asks one workspace to wait doesn't keep the other waiting", async () => {
  await using bot = await both();
  const { playground, harbour } = bot;

  harbour.workspace.faults.answer("all", "429", { retryAfterSeconds: 600 });
  await harbour.developer.says("/gantry scale web 3");
  await harbour.developer.says("/gantry list");

  await playground.developer.says("/gantry scale secret-shop 3");
  await expect.poll(() => usersOf(bot, "updateService"), { timeout: 20_000 }).toContain("of-playground");
  await expect.poll(() => newest(playground.developer), { timeout: 20_000 }).toContain("secret-shop");
  harbour.workspace.faults.clear();
});

test("a workspace whose token Slack refuses for a while doesn't make Gantry unready for the others", async () => {
  await using bot = await both();
  const { playground, harbour } = bot;

  harbour.workspace.faults.tokenError = "invalid_auth";
  await bot.says(harbour.developer, "/gantry list");
  await bot.sweep();
  const ready = await fetch(`${bot.url()}/readyz`);
  const inPlayground = await bot.says(playground.developer, "/gantry list");
  harbour.workspace.faults.tokenError = "";
  bot.passMinutes(2);
  await bot.sweep();

  expect(ready.status).toBe(200);
  expect(inPlayground).toContain("secret-shop");
  expect(await bot.says(harbour.developer, "/gantry list")).toContain("web");
});

test("an admin of one workspace learns about their own, and nothing about others or the machines behind", async () => {
  await using bot = await installedBot();
  const { playground, harbour, accounts } = bot;
  await bot.sets(playground, accounts.playground);
  await bot.install(harbour);
  bot.invite(harbour);

  const own = await bot.says(playground.approver, "/gantry status");
  const other = await bot.says(harbour.approver, "/gantry status");

  expect(own).toContain("The bot token works");
  expect(own).toContain("answers as of-playground");
  expect(own).toContain("Gantry: everything shared by all workspaces works");
  expect(own).not.toMatch(/live replica|SQLite|the key/u);
  expect(other).toContain("without an account at");
  expect(other).toContain("/gantry connect workspace");
  expect(other).not.toContain("of-playground");
});

import { expect, test } from "vitest";
import { installedBot } from "../../support/installed-bot.ts";

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

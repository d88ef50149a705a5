import { afterAll, beforeAll, expect, test } from "vitest";
import { newBrowser } from "../../support/browser.ts";
import { installedBot, type InstalledBot } from "../../support/installed-bot.ts";

let bot: InstalledBot;
beforeAll(async () => {
  bot = await installedBot();
});
afterAll(async () => bot[Symbol.asyncDispose]());

function linkIn(text: string): string {
  return /href="([^"]+)"/u.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
}

async function isInstalled(): Promise<boolean> {
  return (await bot.store().installationOf(bot.harbour.teamId)) !== undefined;
}

/** Up to the point where Slack sends the person's browser back: the address with a good code and state. */
async function sentBack(): Promise<string> {
  const { url, harbour } = bot;
  const page = await newBrowser().open(`${url()}/slack/install`);
  const body = new URLSearchParams({ owner: harbour.teamId, as: harbour.approver.id, answer: "allow" });
  const answer = await fetch(linkIn(page.text), { method: "POST", body, redirect: "manual" });
  return answer.headers.get("location") ?? "";
}

test("a stranger's link with a good code and state installs nothing in another browser", async () => {
  const link = await sentBack();

  const page = await newBrowser().open(link);

  expect(link).toContain("code=");
  expect(page).toMatchObject({ status: 400, text: expect.stringContaining("Nothing was changed.") });
  expect(await isInstalled()).toBe(false);
});

test("a made-up code installs nothing, also with a good state", async () => {
  const browser = newBrowser();
  const page = await browser.open(`${bot.url()}/slack/install`);
  const state = new URL(linkIn(page.text)).searchParams.get("state");

  const end = await browser.open(`${bot.url()}/slack/oauth_redirect?code=made-up&state=${state}`);

  expect(end).toMatchObject({ status: 400, text: expect.stringContaining("Nothing was changed.") });
  expect(await isInstalled()).toBe(false);
});

test("a workspace whose organization has Gantry for all isn't installed a second time", async () => {
  await bot.install(bot.east, bot.orgId);

  const page = await bot.install(bot.east);

  expect(page).toMatchObject({ status: 400, text: expect.stringContaining("Gantry wasn't installed") });
});

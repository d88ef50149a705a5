import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serve } from "vitepress";
import { sidebar } from "../../docs/.vitepress/sidebar.ts";
import { freePort } from "../support/free-port.ts";
import { noChromium } from "./support/chromium.ts";
import { overflow } from "./support/fits.ts";
import { story } from "./support/story.ts";

const root = join(import.meta.dirname, "../..");
const built = join(root, "docs/.vitepress/dist");

type Site = { readonly url: string; readonly close: () => void };

async function openSite(): Promise<Site> {
  const vitepress = join(root, "node_modules/vitepress/bin/vitepress.js");
  await promisify(execFile)(process.execPath, [vitepress, "build", "docs"], { cwd: root });
  const port = await freePort();
  const { server } = await serve({ root: join(root, "docs"), port });
  return { url: `http://127.0.0.1:${port}`, close: () => void server?.close() };
}

/** The title of a page, and its pictures that didn't come. */
const seen = `({
  title: document.querySelector("h1")?.textContent ?? "",
  lost: [...document.querySelectorAll(".vp-doc img")]
    .filter((image) => image.complete && image.naturalWidth === 0).map((image) => image.src),
})`;

story("the documentation as a site", (open) => {
  const sites: Site[] = [];
  beforeAll(async () => {
    if (noChromium === undefined) sites.push(await openSite());
  });
  afterAll(() => {
    for (const { close } of sites) close();
  });
  const page = (path: string, width: number) => open({ url: sites[0]?.url ?? "", path, width });

  test("every page has a title and its pictures, and is no wider than a desk's or a phone's screen", async () => {
    const pages = readdirSync(built).filter((file) => file.endsWith(".html") && file !== "404.html");
    const faults: string[] = [];
    await using reader = await page("/index.html", 390);
    for (const path of pages) {
      await reader.page.goto(new URL(`/${path}`, reader.page.url()).href);
      const { title, lost } = await reader.page.evaluate<{ title: string; lost: readonly string[] }>(seen);
      const wider: number[] = [];
      for (const width of [390, 1280]) {
        await reader.page.setViewportSize({ width, height: 800 });
        wider.push(await overflow(reader));
      }
      if (title === "" || lost.length > 0 || wider.some((pixels) => pixels > 0))
        faults.push(JSON.stringify({ path, title, lost, wider }));
    }

    expect(pages.length).toBeGreaterThanOrEqual(sidebar.flatMap(({ items }) => items).length - 10);
    expect(faults).toEqual([]);
  }, 120_000);

  test("the first page leads to trying, connecting and operating it", async () => {
    await using reader = await page("/index.html", 390);
    const links = reader.page.locator("a.VPFeature");

    expect(await links.evaluateAll((all) => all.map((each) => each.getAttribute("href")))).toEqual([
      "/readme.html#try-it",
      "/slack.html",
      "/deployment.html",
    ]);
  });

  test("who searches for Helm finds how to deploy with it first", async () => {
    await using desk = await page("/readme.html", 1280);
    await desk.page
      .getByRole("button", { name: /Search/u })
      .first()
      .click();
    await desk.page.getByRole("searchbox").fill("helm");

    await expect.poll(() => desk.page.getByRole("option").first().textContent()).toContain("Deploy with Helm");
  });

  test("a row of a table is a list on a phone, with the names of its columns", async () => {
    await using phone = await page("/configuration.html", 390);
    const cell = phone.page.locator("td[data-column=meaning]").first();

    expect(await cell.evaluate((each) => getComputedStyle(each, "::before").content)).toContain("meaning");
    expect(await cell.evaluate((each) => getComputedStyle(each).display)).toBe("block");
  });

  test("a reader finds “roll back” by searching, and gets to its page from the menu of a phone", async () => {
    await using desk = await page("/readme.html", 1280);
    await desk.page
      .getByRole("button", { name: /Search/u })
      .first()
      .click();
    await desk.page.getByRole("searchbox").fill("roll back");
    await desk.page
      .getByRole("option", { name: /Deploy and roll back/u })
      .first()
      .click();
    await expect.poll(() => desk.page.url()).toMatch(/\/deploy/u);

    await using phone = await page("/readme.html", 390);
    // The page is there before its scripts are, and a click on the menu is lost until then.
    const menu = phone.page.locator("button[aria-controls=VPSidebarNav]");
    await expect
      .poll(async () => {
        if ((await menu.getAttribute("aria-expanded")) !== "true") await menu.click();
        return await menu.getAttribute("aria-expanded");
      })
      .toBe("true");
    await phone.page.getByRole("link", { name: "Deploy and roll back", exact: true }).click();
    await expect.poll(() => phone.page.url()).toMatch(/\/deploy/u);
    await expect.poll(() => phone.page.locator(".vp-doc h1").textContent()).toContain("Deploy and roll back");
  });
});

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { longLog } from "../support/many-services.ts";
import { world } from "../support/world.ts";
import { story } from "./support/story.ts";

story("reading logs", (open) => {
  test("log lines are read in the thread pane, which Escape closes", async () => {
    await using town = await world({ apiFetch: longLog(6) });
    await using dana = await open({ url: town.playgroundUrl });

    await dana.says("/gantry logs web");
    await dana.sees("6 lines");
    await dana.clicks("1 reply");
    await dana.thread.getByText("line 6 GET /orders/5").waitFor();
    const lines = await dana.thread.textContent();
    await dana.page.keyboard.press("Escape");
    await dana.thread.waitFor({ state: "hidden" });

    expect(lines).toMatch(/line 1 [^]*line 6 /u);
    await expect.poll(() => dana.log.textContent()).not.toContain("line 1 ");
  });

  test("a thread stays open over a reload, and somebody else finds it marked as new", async () => {
    await using town = await world({ apiFetch: longLog(6) });
    await using dana = await open({ url: town.playgroundUrl });
    await using alex = await open({ url: town.playgroundUrl, as: "alex" });

    await dana.says("/gantry logs web");
    await dana.clicks("1 reply");
    await dana.page.reload();
    await dana.thread.getByText("line 6 GET").waitFor();
    const replies = alex.message("6 lines").getByRole("button", { name: /repl/u });
    await expect.poll(() => replies.textContent()).toContain("new");
    await alex.clicks("1 reply");
    await alex.thread.getByText("line 6 GET").waitFor();

    await expect.poll(() => replies.textContent()).not.toContain("new");
  });

  test("an uploaded file is shown with its size, opened beside the conversation, and downloaded whole", async () => {
    await using town = await world({ apiFetch: longLog(1000) });
    await using dana = await open({ url: town.playgroundUrl });

    await dana.says("/gantry logs web --size 1000");
    await dana.clicks(/repl/u);
    const file = dana.thread.getByRole("button", { name: / kB$/u });
    await file.click();
    const pane = dana.page.getByRole("complementary", { name: /^File / });
    await pane.getByText("line 1000 GET").waitFor();
    const text = await pane.getByLabel(/^Text of /u).textContent();
    const downloading = dana.page.waitForEvent("download");
    await pane.getByRole("link", { name: "Download" }).click();
    const saved = await (await downloading).path();
    await dana.page.keyboard.press("Escape");
    await pane.waitFor({ state: "hidden" });

    expect(text).toMatch(/line 1 [^]*line 1000 /u);
    expect(readFileSync(saved, "utf8")).toBe(text);
    await expect.poll(() => dana.thread.isVisible()).toBe(true);
  });
});

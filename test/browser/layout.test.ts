import { describe, expect, test } from "vitest";
import { longLog } from "../support/many-services.ts";
import { smallApp } from "../support/small-app.ts";
import { world } from "../support/world.ts";
import { overflow, sticking } from "./support/fits.ts";
import { story } from "./support/story.ts";
import type { Window } from "./support/window.ts";

/** The brightness of the page's background and of its text: 0 to 255. */
async function lightness({ page }: Window): Promise<{ back: number; text: number }> {
  return page.evaluate(`(() => {
    const light = (color) => color.match(/[\\d.]+/g).slice(0, 3).map(Number).reduce((sum, each) => sum + each, 0) / 3;
    const { backgroundColor, color } = getComputedStyle(document.body);
    return { back: light(backgroundColor), text: light(color) };
  })()`);
}

story("layout and colours", (open) => {
  describe.each([1280, 390])("%i pixels wide", (width) => {
    test("names and lines without an end break nothing, in messages, windows, threads and the drawer", async () => {
      await using harbour = await smallApp();
      await using dana = await open({ url: harbour.playgroundUrl, width });

      await dana.says("/berth long");
      await dana.sees("northern-light");
      await dana.says("x".repeat(600));
      await dana.sees("x".repeat(600));
      const messages = { page: await overflow(dana), panes: await sticking(dana) };
      await dana.says("/berth book");
      await dana.modal.waitFor();
      const modal = { page: await overflow(dana), panes: await sticking(dana) };
      await dana.page.keyboard.press("Escape");
      await dana.modal.waitFor({ state: "hidden" });
      await dana.message("x".repeat(600)).hover();
      await dana.message("x".repeat(600)).getByRole("button", { name: "Reply in thread" }).click();
      await dana.thread.getByText("x".repeat(600)).waitFor();
      await dana.clicks("Inspector");
      const all = { page: await overflow(dana), panes: await sticking(dana) };

      const fits = { page: 0, panes: [] };
      expect({ messages, modal, all }).toEqual({ messages: fits, modal: fits, all: fits });
    });
  });

  test("on a phone one finds the channels behind a button, reads a thread, and comes back", async () => {
    await using town = await world({ apiFetch: longLog(5) });
    await using dana = await open({ url: town.playgroundUrl, in: "general", width: 390, height: 700 });
    const list = dana.page.getByRole("button", { name: "Channels and people" });

    await list.click();
    await dana.channelLink("ops").click();
    await dana.page.getByRole("log", { name: "Messages in #ops" }).waitFor();
    await dana.channelLink("ops").waitFor({ state: "hidden" });
    await dana.says("/gantry logs web");
    await dana.clicks("1 reply");
    await dana.thread.getByText("line 5 ").waitFor();
    const covered = await dana.composer.isVisible();
    await dana.clicks("Close thread");
    await dana.composer.waitFor();

    const box = await dana.composer.boundingBox();
    expect(covered).toBe(false);
    expect(box?.width).toBeGreaterThan(200);
    expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(700);
    await expect.poll(() => overflow(dana)).toBe(0);
  });

  test("it is light or dark as the system is", async () => {
    await using town = await world({ apiFetch: longLog(5) });
    await using dana = await open({ url: town.playgroundUrl, scheme: "dark" });

    await dana.composer.waitFor();
    const night = await lightness(dana);
    await dana.page.emulateMedia({ colorScheme: "light" });
    const day = await lightness(dana);

    expect(day.back - day.text).toBeGreaterThan(150);
    expect(night.text - night.back).toBeGreaterThan(150);
  });
});

import { expect, test } from "vitest";
import { smallApp } from "../support/small-app.ts";
import { story } from "./support/story.ts";

story("Home tab, shortcuts and mentions", (open) => {
  test("a shortcut in a message's menu reaches the app with that message", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl });

    await dana.says("Fog until noon");
    await dana.sees("Fog until noon");
    await dana.newest().hover();
    await dana.newest().getByRole("button", { name: "More actions for this message" }).click();
    await dana.page.getByRole("menuitem", { name: "Put on the notice board" }).click();
    await dana.clicks("1 reply");

    await dana.thread.getByText("On the notice board: Fog until noon").waitFor();
    await expect.poll(() => dana.page.getByRole("menu").count()).toBe(0);
  });

  test("a global shortcut is found in the composer, by its button and by typing", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl });

    await dana.clicks("Shortcuts");
    await dana.page.getByRole("menuitem", { name: "Book a berth now" }).click();
    await dana.modal.getByRole("heading", { name: "Book a berth" }).waitFor();
    await dana.page.keyboard.press("Escape");
    await dana.modal.waitFor({ state: "hidden" });
    await dana.composer.pressSequentially("/Book");
    await dana.page.getByRole("option", { name: "Book a berth now" }).click();
    await dana.modal.getByRole("heading", { name: "Book a berth" }).waitFor();

    await expect.poll(() => dana.modal.count()).toBe(1);
  });

  test("a mention is answered in its thread, in a channel and in a thread", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl });

    await dana.says("@harbour are you there?");
    await dana.clicks("1 reply");
    await dana.thread.getByText("Ahoy @dana").waitFor();
    const reply = dana.thread.getByRole("textbox", { name: "Reply" });
    await reply.pressSequentially("@harb");
    await reply.press("Tab");
    await reply.pressSequentially("still?");
    await reply.press("Enter");

    await expect.poll(() => dana.thread.getByText("Ahoy @dana").count()).toBe(2);
  });

  test("a mention where the app is not a member gets Slack's own hint, and the hint works", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl, in: "general" });

    await dana.says("@harbour hello?");
    await dana.sees("type /invite @harbour");
    await dana.says("/invite @harbour");
    await dana.sees("@harbour is now in #general.");
    await dana.says("@harbour hello again");

    await dana.clicks("1 reply");
    await dana.thread.getByText("Ahoy @dana").waitFor();
    await expect.poll(() => dana.log.textContent()).toContain("harbour is not in this channel");
  });

  test("the Home tab is published when it is opened, per person, and its buttons work", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl, in: "@harbour" });
    await using alex = await open({ url: harbour.playgroundUrl, as: "alex", in: "@harbour", tab: "home" });
    const home = (window: typeof dana) => window.page.getByRole("region", { name: "Home of Harbour" });

    await dana.clicks("Home");
    await home(dana).getByText("Good morning, @dana. This is visit 1.").waitFor();
    await home(alex).getByText("Good morning, @alex. This is visit 1.").waitFor();
    await dana.clicks("Ring the bell");
    await home(dana).getByText("Ding dong.").waitFor();

    await expect.poll(() => home(alex).textContent()).not.toContain("Ding dong.");
  });

  test("the direct conversation with the app is between two", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl, in: "@harbour" });
    await using alex = await open({ url: harbour.playgroundUrl, as: "alex", in: "@harbour" });

    await dana.says("psst");
    await dana.sees("Heard you, @dana");

    expect(await alex.page.getByText("psst").count()).toBe(0);
  });

  test("a message that the app changes says that it was edited", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl });

    await dana.says("/berth move");
    await dana.sees("Northern Light is moored.");

    await expect.poll(() => dana.newest().innerText()).toContain("(edited)");
    await expect.poll(() => dana.log.getByRole("article").count()).toBe(1);
  });

  test("menus, boxes, dates and buttons in a message reach the app", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl });
    const card = dana.log.getByRole("article").first();

    await dana.says("/berth pick");
    await card.getByRole("checkbox", { name: "pilot" }).check();
    await dana.sees("Picked: pilot");
    await card.getByRole("button", { name: /^More actions: /u }).click();
    await dana.page.getByRole("menuitem", { name: "Cast off" }).click();
    await dana.sees("Picked: Cast off");
    await card.getByRole("combobox", { name: "Choose a pier" }).click();
    await dana.page.getByRole("option", { name: "South pier" }).click();
    await dana.sees("Picked: South pier");
    await card.locator("input[type=date]").fill("2026-12-31");
    await dana.sees("Picked: 2026-12-31");
    await card.getByRole("button", { name: "Sink it" }).click();
    await dana.sees("Picked: sunk");

    expect(harbour.playground.transcript().filter(({ refusal }) => refusal !== undefined)).toEqual([]);
  });
});

import { expect, test } from "vitest";
import { manyServices } from "../support/many-services.ts";
import { world } from "../support/world.ts";
import { story } from "./support/story.ts";

story("typing commands", (open) => {
  test("a command is suggested while one types, then the words it takes; Enter sends it", async () => {
    await using town = await world({ apiFetch: manyServices(3) });
    await using dana = await open({ url: town.playgroundUrl });

    await dana.composer.pressSequentially("/gan");
    const suggestion = dana.page.getByRole("option", { name: "/gantry" });
    await suggestion.waitFor();
    const details = await suggestion.textContent();
    await dana.composer.press("Enter");
    await expect.poll(() => dana.composer.inputValue()).toBe("/gantry ");
    await dana.page.getByText("Usage:").waitFor();
    await dana.composer.pressSequentially("list");
    await dana.composer.press("Enter");
    await dana.sees("svc-0001");

    expect(details).toContain("Run container workloads");
    await expect.poll(() => dana.composer.inputValue()).toBe("");
    await expect.poll(() => dana.page.getByRole("listbox").count()).toBe(0);
  });

  test("a list is paged with Next and Back in its own message", async () => {
    await using town = await world({ apiFetch: manyServices(25) });
    await using dana = await open({ url: town.playgroundUrl });

    await dana.says("/gantry list services");
    await dana.sees("1–10 of 25");
    await dana.clicks("Next");
    await dana.sees("11–20 of 25");
    const second = await dana.log.textContent();
    await dana.clicks("Back");
    await dana.sees("1–10 of 25");

    expect(second).toContain("svc-0020");
    expect(second).not.toContain("svc-0001");
    await expect.poll(() => dana.log.getByRole("article").count()).toBe(1);
  });

  test("an example of an empty channel is put into the composer, and not sent", async () => {
    await using town = await world({ apiFetch: manyServices(1) });
    await using dana = await open({ url: town.playgroundUrl });

    await dana.clicks("/gantry list");

    await expect.poll(() => dana.composer.inputValue()).toBe("/gantry list");
    await expect.poll(() => dana.focused.getAttribute("aria-label")).toBe("Message #ops");
    expect(town.calls()).toEqual([]);
  });

  test("in a thread the command is refused, as Slack does, and only its author sees that", async () => {
    await using town = await world({ apiFetch: manyServices(1) });
    await using dana = await open({ url: town.playgroundUrl });
    await using alex = await open({ url: town.playgroundUrl, as: "alex" });

    await dana.says("Is anything down?");
    await dana.message("Is anything down?").hover();
    await dana.clicks("Reply in thread");
    const reply = dana.thread.getByRole("textbox", { name: "Reply" });
    await reply.fill("/gantry list");
    await reply.press("Enter");
    await dana.thread.getByText("/gantry is not supported in threads. Sorry!").waitFor();
    await reply.fill("I shall ask in the channel");
    await reply.press("Enter");
    await alex.clicks("1 reply");
    await alex.thread.getByText("I shall ask in the channel").waitFor();

    await expect.poll(() => alex.thread.textContent()).not.toContain("not supported");
    expect(town.calls()).toEqual([]);
  });

  test("a command that no app has is refused by Slack itself", async () => {
    await using town = await world({ apiFetch: manyServices(1) });
    await using dana = await open({ url: town.playgroundUrl });

    await dana.says("/gantri list");

    await dana.sees("/gantri is not a valid command.");
    await expect.poll(() => dana.newest().textContent()).toContain("Only visible to you");
  });

  test("names are completed, Shift+Enter breaks the line, and mentions are drawn as such", async () => {
    await using town = await world({ apiFetch: manyServices(1) });
    await using dana = await open({ url: town.playgroundUrl });

    await dana.composer.pressSequentially("@al");
    await dana.composer.press("Tab");
    await dana.composer.pressSequentially("look:");
    await dana.composer.press("Shift+Enter");
    await dana.composer.pressSequentially("*it works*");
    await dana.composer.press("Enter");
    await dana.sees("@alex look:");

    const message = dana.newest();
    await expect.poll(() => message.locator("strong").textContent()).toBe("it works");
    await expect.poll(() => message.innerText()).toMatch(/@alex look:\n+it works/u);
  });
});

import { expect, test } from "vitest";
import { approvalTown } from "../support/approval-town.ts";
import { longLog, manyServices } from "../support/many-services.ts";
import { smallApp } from "../support/small-app.ts";
import { world } from "../support/world.ts";
import { story } from "./support/story.ts";
import type { Window } from "./support/window.ts";

const nameOfFocused = `(() => {
  const { activeElement: at } = document;
  return at === document.body ? "(nothing)" : at.getAttribute("aria-label") ?? at.innerText.replaceAll("\\n", " ").trim();
})()`;

/** Whether the focused element has a visible focus ring. */
async function isRinged({ page }: Window): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const { outlineStyle, boxShadow, borderColor } = getComputedStyle(document.activeElement);
    const around = getComputedStyle(document.activeElement.parentElement);
    return [outlineStyle, around.outlineStyle].some((style) => style !== "none") || boxShadow !== "none" || around.boxShadow !== "none";
  })()`);
}

/** The elements that Tab reaches, by name, and whether they have a visible focus ring. */
async function tabbedThrough(window: Window, presses: number) {
  const reached: { readonly name: string; readonly isShown: boolean }[] = [];
  for (let press = 0; press < presses; press += 1) {
    await window.page.keyboard.press("Tab");
    const name = await window.page.evaluate<string>(nameOfFocused);
    // After the last one come the browser's own buttons.
    if (name !== "(nothing)") reached.push({ name, isShown: await isRinged(window) });
  }
  return reached;
}

story("without a mouse", (open) => {
  test("the composer has the focus at first, Tab reaches everything there is, and one sees where one is", async () => {
    await using town = await world({ apiFetch: manyServices(25) });
    await using dana = await open({ url: town.playgroundUrl });

    await expect.poll(() => dana.page.evaluate(nameOfFocused)).toBe("Message #ops");
    await dana.says("/gantry list services --share");
    await dana.sees("1–10 of 25");
    const reached = await tabbedThrough(dana, 45);

    const names = reached.map(({ name }) => name);
    for (const name of ["Inspector", "Trouble", "Alex Kim", "general", "gantry", "omar", "Messages in #ops"]) {
      expect(names.join("\n")).toContain(name);
    }
    expect(names).toEqual(
      expect.arrayContaining(["Next", "Reply in thread", "More actions for this message", "Message #ops"]),
    );
    expect(reached.filter(({ isShown }) => !isShown)).toEqual([]);
  });

  test("a list is paged from the keyboard, and the focus is not lost with the old page", async () => {
    await using town = await world({ apiFetch: manyServices(25) });
    await using dana = await open({ url: town.playgroundUrl });
    await dana.says("/gantry list services");
    await dana.sees("1–10 of 25");

    await dana.log.getByRole("button", { name: "Next" }).focus();
    await dana.page.keyboard.press("Enter");
    await dana.sees("11–20 of 25");
    await dana.page.keyboard.press("Tab");

    await expect.poll(() => dana.page.evaluate(nameOfFocused)).not.toBe("(nothing)");
    await expect
      .poll(() => dana.page.evaluate(`document.querySelector("[role=log]").contains(document.activeElement)`))
      .toBe(true);
  });

  test("Home is sent again, and a button that didn't change keeps the focus", async () => {
    await using town = await approvalTown();
    await using dana = await open({ url: town.playgroundUrl, in: "@gantry", tab: "home" });
    const home = dana.page.getByRole("region", { name: "Home of gantry" });

    await home.getByRole("button", { name: "Create", exact: true }).focus();
    await town.approver.says("/gantry restart web --reason 'it leaks'", { channel: "ops" });
    await town.settled();
    await using _second = await open({ url: town.playgroundUrl, in: "@gantry", tab: "home" });
    await home.getByRole("heading", { name: "Waiting for you" }).waitFor();
    await dana.page.keyboard.press("Enter");

    await dana.modal.getByRole("radio", { name: /^Job/u }).waitFor();
    await expect.poll(() => dana.modal.count()).toBe(1);
  });

  test("a menu opens with Enter, is walked with arrows, and gives the focus back at Escape", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl });
    await dana.says("Fog until noon");
    await dana.sees("Fog until noon");

    await dana.newest().getByRole("button", { name: "More actions for this message" }).focus();
    await dana.page.keyboard.press("Enter");
    for (const item of ["Edit message", "Put on the notice board", "Copy text"]) {
      await dana.page.getByRole("menuitem", { name: item }).and(dana.focused).waitFor();
      await dana.page.keyboard.press("ArrowDown");
    }
    await dana.page.getByRole("menuitem", { name: "Copy as JSON" }).and(dana.focused).waitFor();
    await dana.page.keyboard.press("Escape");

    await dana.page.getByRole("menu").waitFor({ state: "hidden" });
    await expect.poll(() => dana.page.evaluate(nameOfFocused)).toBe("More actions for this message");
  });

  test("a window takes the focus into its first field, keeps it, and gives it back at Escape", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl });

    await dana.says("/berth book");
    await dana.modal.getByRole("textbox", { name: "Ship" }).and(dana.focused).waitFor();
    const inside: boolean[] = [];
    for (let press = 0; press < 12; press += 1) {
      await dana.page.keyboard.press("Tab");
      const where = await dana.page.evaluate<string>(
        `document.activeElement === document.body ? "browser" : document.activeElement.closest("dialog") ? "window" : "page"`,
      );
      inside.push(where !== "page");
    }
    await dana.page.keyboard.press("Escape");
    await dana.modal.waitFor({ state: "hidden" });

    expect(inside).not.toContain(false);
    await expect.poll(() => dana.page.evaluate(nameOfFocused)).toBe("Message #ops");
  });

  test("a thread is opened and closed from the keyboard, and one goes on typing where one was", async () => {
    await using town = await world({ apiFetch: longLog(3) });
    await using dana = await open({ url: town.playgroundUrl });
    await dana.says("/gantry logs web");
    const replies = dana.log.getByRole("button", { name: /^1 reply/u });

    await replies.focus();
    await dana.page.keyboard.press("Enter");
    await dana.thread.getByRole("textbox", { name: "Reply" }).and(dana.focused).waitFor();
    await dana.page.keyboard.type("thanks");
    await dana.page.keyboard.press("Enter");
    await dana.thread.getByText("thanks").waitFor();
    await dana.page.keyboard.press("Escape");
    await dana.thread.waitFor({ state: "hidden" });

    await expect.poll(() => dana.page.evaluate(nameOfFocused)).toMatch(/^(?:Message #ops|2 replies.*)$/u);
  });

  test("the inspector is opened, walked and closed from the keyboard", async () => {
    await using town = await world({ apiFetch: manyServices(3) });
    await using dana = await open({ url: town.playgroundUrl });
    await dana.says("/gantry list services");
    await dana.sees("svc-0001");
    const drawer = dana.page.getByRole("region", { name: "Inspector" });

    await dana.page.getByRole("button", { name: "Inspector" }).focus();
    await dana.page.keyboard.press("Enter");
    await drawer.getByRole("button", { name: "slash_command" }).focus();
    await dana.page.keyboard.press("Enter");
    await drawer.getByText('"command": "/gantry"').waitFor();
    await dana.page.keyboard.press("Escape");
    await drawer.waitFor({ state: "hidden" });

    await expect.poll(() => dana.page.evaluate(nameOfFocused)).toBe("Inspector");
  });

  test("a file is opened, scrolled and closed from the keyboard", async () => {
    await using town = await world({ apiFetch: longLog(1000) });
    await using dana = await open({ url: town.playgroundUrl });
    await dana.says("/gantry logs web --size 1000");
    await dana.clicks(/repl/u);
    const pane = dana.page.getByRole("complementary", { name: /^File / });

    await dana.thread.getByRole("button", { name: / kB$/u }).focus();
    await dana.page.keyboard.press("Enter");
    await pane.getByText("line 1000 ").waitFor();
    await dana.page.keyboard.press("End");
    const scrolled = () => dana.page.evaluate<number>("document.activeElement.scrollTop");
    await expect.poll(() => scrolled()).toBeGreaterThan(1000);
    await dana.page.keyboard.press("Escape");
    await pane.waitFor({ state: "hidden" });
    await dana.page.keyboard.press("Escape");
    await dana.thread.waitFor({ state: "hidden" });

    await expect.poll(() => dana.page.evaluate(nameOfFocused)).toBe("Message #ops");
  });

  test("suggestions are walked with arrows, taken with Tab, and put away with Escape", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl });

    await dana.composer.pressSequentially("/ber");
    await dana.page.getByRole("option", { name: "/berths" }).waitFor();
    await dana.page.keyboard.press("ArrowDown");
    await dana.page.getByRole("option", { name: "/berths", selected: true }).waitFor();
    await dana.page.keyboard.press("Tab");
    await expect.poll(() => dana.composer.inputValue()).toBe("/berths ");
    await dana.composer.fill("");
    await dana.composer.pressSequentially("/ber");
    await dana.page.getByRole("option", { name: "/berths" }).waitFor();
    await dana.page.keyboard.press("Escape");

    await dana.page.getByRole("listbox").waitFor({ state: "hidden" });
    await expect.poll(() => dana.composer.inputValue()).toBe("/ber");
  });
});

import { expect, test } from "vitest";
import { manyServices } from "../support/many-services.ts";
import { smallApp } from "../support/small-app.ts";
import { world } from "../support/world.ts";
import { story } from "./support/story.ts";
import type { Window } from "./support/window.ts";

/** The page behaves as on a touch screen until its window is given back. */
async function touches({ page }: Window): Promise<AsyncDisposable> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 1 });
  return {
    async [Symbol.asyncDispose]() {
      await session.send("Emulation.setTouchEmulationEnabled", { enabled: false });
      await session.detach();
    },
  };
}

/** The messages in which the buttons cover a line of text. */
async function covered({ page }: Window): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`[...document.querySelectorAll("article")]
    .filter((message) => {
      const bar = message.querySelector(".message-actions").getBoundingClientRect();
      const walker = document.createTreeWalker(message.querySelector(".message-main"), NodeFilter.SHOW_TEXT);
      const lines = [];
      while (walker.nextNode()) {
        const range = document.createRange();
        range.selectNode(walker.currentNode);
        lines.push(...range.getClientRects());
      }
      return lines.some((line) =>
        line.right > bar.left && line.left < bar.right && line.bottom > bar.top && line.top < bar.bottom);
    })
    .map((message) => message.textContent)`);
}

story("on a phone", (open) => {
  test("the buttons of a message cover no text, and the sidebar offers nothing that needs a key", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl, width: 390 });
    await using _touch = await touches(dana);
    await dana.says("x ".repeat(300));
    await dana.says("the second line right after it");
    await dana.sees("the second line");
    await dana.clicks("Channels and people");
    await dana.page.getByText("Tap a name to switch to that person.").waitFor();

    await expect.poll(() => dana.page.getByText("Ctrl-click").isVisible()).toBe(false);
    await expect.poll(() => covered(dana)).toEqual([]);
  });

  test("a list has two lines for each workload, and nothing to scroll sideways", async () => {
    await using town = await world({ apiFetch: manyServices(3) });
    await using dana = await open({ url: town.playgroundUrl, width: 390 });

    await dana.says("/gantry list services");
    await dana.sees("svc-0002");

    const list = dana.newest();
    const lines = (await list.innerText()).split("\n").filter((line) => /svc-0002|instance/u.test(line));
    expect(lines.filter((line) => line.includes("svc-0002"))).toHaveLength(1);
    expect(lines.length).toBeGreaterThanOrEqual(4);
    expect(await list.evaluate((message) => message.scrollWidth - message.clientWidth)).toBe(0);
  });
});

story("a message longer than the window", (open) => {
  test("is shown from its start when it comes, and stays where the reader scrolled", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl, height: 500 });
    const lines = Array.from({ length: 80 }, (_, at) => `line ${at}`).join("\n");
    await harbour.playground.as("alex").says("before");
    await harbour.playground.as("alex").says(lines);
    await dana.sees("line 79");
    const top = async (): Promise<number> => dana.log.evaluate((pane) => pane.scrollTop);
    const isAtTheTop = async (): Promise<boolean> => {
      const { y } = (await dana.newest().boundingBox()) ?? { y: 0 };
      return y > 60 && y < 200;
    };

    await expect.poll(isAtTheTop).toBe(true);
    await dana.log.hover();
    const before = await top();
    await dana.page.mouse.wheel(0, 300);
    await expect.poll(() => top()).toBeGreaterThan(before + 100);
    const read = await top();
    await harbour.playground.as("alex").says("after");
    await dana.sees("after");

    expect(Math.abs((await top()) - read)).toBeLessThan(5);
  });

  test("what came out of sight is announced, and one click away", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl, height: 500 });
    const lines = Array.from({ length: 80 }, (_, at) => `line ${at}`).join("\n");
    const alex = harbour.playground.as("alex");
    const isAtTheEnd = () => dana.log.evaluate((pane) => pane.scrollHeight - pane.scrollTop - pane.clientHeight < 5);
    const button = (name: string) => dana.page.getByRole("button", { name });
    await alex.says("before");
    await dana.sees("before");

    await alex.says(lines);
    await dana.sees("line 79");
    await button("This message goes on below").click();
    await expect.poll(isAtTheEnd).toBe(true);
    await button("This message goes on below").waitFor({ state: "hidden" });
    await dana.log.hover();
    await dana.page.mouse.wheel(0, -600);
    await expect.poll(isAtTheEnd).toBe(false);
    expect(await dana.page.getByRole("button", { name: /below/u }).count()).toBe(0);
    await alex.says("after");
    await button("New message below").click();

    await expect.poll(isAtTheEnd).toBe(true);
    await button("New message below").waitFor({ state: "hidden" });
  });
});

story("a form opened elsewhere", (open) => {
  test("doesn't cover the page: a line says where it is open, and shows or closes it", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl });
    const fromTerminal = async (): Promise<void> => {
      const body = JSON.stringify({ text: "/berth book", quietMs: 20, deadlineMs: 3_000 });
      await fetch(`${harbour.playgroundUrl}/playground/say`, { method: "POST", body });
    };
    await dana.composer.waitFor();
    await fromTerminal();
    await dana.page.getByText(/^You opened the form “.+” in a terminal\.$/u).waitFor();
    const isCovered = await dana.modal.isVisible();
    await dana.clicks("Show it here");
    await dana.modal.getByRole("textbox", { name: "Ship" }).waitFor();
    await dana.page.keyboard.press("Escape");
    await dana.modal.waitFor({ state: "hidden" });
    await fromTerminal();
    await dana.clicks("Close it");
    await dana.page.getByText("You opened the form").waitFor({ state: "hidden" });

    expect(isCovered).toBe(false);
    expect(harbour.playground.as("dana").modal()).toBeUndefined();
  });

  test("a form opened on the page is shown there, and not in a second window of the same person", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl });
    await using second = await open({ url: harbour.playgroundUrl });
    await second.composer.waitFor();
    await dana.says("/berth book");
    await dana.modal.waitFor();
    await second.page.getByText(/in another window\.$/u).waitFor();
    await dana.page.reload();
    await dana.modal.waitFor();

    await expect.poll(() => second.modal.isVisible()).toBe(false);
  });
});

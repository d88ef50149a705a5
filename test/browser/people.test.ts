import { expect, test } from "vitest";
import { manyServices } from "../support/many-services.ts";
import { world } from "../support/world.ts";
import { story } from "./support/story.ts";

story("several people in several windows", (open) => {
  test("each sees their own ephemeral answers, marked as such, and a reload loses nothing else", async () => {
    await using town = await world({ apiFetch: manyServices(3) });
    await using dana = await open({ url: town.playgroundUrl });
    await using alex = await open({ url: town.playgroundUrl, as: "alex" });

    await dana.says("/gantry list services svc-0001");
    await dana.sees("svc-0001");
    const mark = await dana.newest().textContent();
    await alex.says("/gantry list services svc-0002");
    await alex.sees("svc-0002");
    await dana.says("/gantry list services svc-0003 --share");
    await Promise.all([dana.sees("svc-0003"), alex.sees("svc-0003")]);
    const before = { dana: await dana.log.innerText(), alex: await alex.log.innerText() };
    await dana.page.reload();
    await dana.sees("svc-0003");
    const after = await dana.log.innerText();

    expect(mark).toContain("Only visible to you");
    expect(before.dana).toContain("svc-0001");
    expect(before.dana).not.toContain("svc-0002");
    expect(before.alex).toContain("svc-0002");
    expect(before.alex).not.toContain("svc-0001");
    expect(after).not.toContain("svc-0001");
    expect(after).not.toContain("Only visible to you");
  });

  test("a message appears for everybody in the channel, and marks it unread for others", async () => {
    await using town = await world({ apiFetch: manyServices(3) });
    await using dana = await open({ url: town.playgroundUrl, in: "general" });
    await using alex = await open({ url: town.playgroundUrl, as: "alex" });
    await using omar = await open({ url: town.playgroundUrl, as: "omar", in: "general" });

    await dana.says("Lunch, @alex?");
    await omar.sees("Lunch, @alex?");
    await alex.channelLink(/^general ?, 1 for you$/u).click();
    await alex.sees("Lunch, @alex?");
    await alex.channelLink(/^general$/u).waitFor();

    await expect.poll(() => alex.page.title()).toContain("#general");
    await expect.poll(() => alex.log.getByRole("article").count()).toBe(1);
  });

  test("on returning to a channel, a line is above the new messages", async () => {
    await using town = await world({ apiFetch: manyServices(3) });
    await using dana = await open({ url: town.playgroundUrl, in: "general" });
    await using alex = await open({ url: town.playgroundUrl, as: "alex", in: "general" });

    await dana.says("seen by both");
    await alex.sees("seen by both");
    await alex.channelLink("ops").click();
    await alex.page.getByRole("heading", { name: "#ops" }).first().waitFor();
    await dana.says("said while alex was away");
    await alex.channelLink(/^general ?, unread$/u).click();
    await alex.sees("said while alex was away");

    await expect.poll(() => alex.log.getByRole("separator", { name: "New" }).count()).toBe(1);
    await expect.poll(() => alex.log.innerText()).toMatch(/seen by both[^]*New[^]*said while alex was away/u);
    await expect.poll(() => dana.log.getByRole("separator", { name: "New" }).count()).toBe(0);
  });

  test("one can be somebody else, and a guest sees only their own channels", async () => {
    await using town = await world({ apiFetch: manyServices(3) });
    await using window = await open({ url: town.playgroundUrl, in: "incidents" });
    const channels = window.page.getByRole("navigation", { name: "Channels" }).getByRole("link");

    await window.page.getByRole("log", { name: "Messages in #incidents" }).waitFor();
    await expect.poll(() => channels.count()).toBe(3);
    await window.page.getByRole("navigation", { name: "You are" }).getByRole("link", { name: "Gwen Moss" }).click();
    await window.page.getByRole("log", { name: "Messages in #ops" }).waitFor();
    await window.says("hello from the guest");
    await window.sees("GUEST");

    await expect.poll(() => channels.count()).toBe(1);
    expect(town.developer.sees("ops").map(({ author }) => author)).toEqual(["gwen"]);
  });

  test("the app opens at Home, remembers its tab, and answers commands in the direct conversation", async () => {
    await using town = await world({ apiFetch: manyServices(3) });
    await using dana = await open({ url: town.playgroundUrl });

    await dana.channelLink("gantry").click();
    await dana.page.getByRole("region", { name: "Home of Gantry" }).waitFor();
    await dana.clicks("Messages");
    await dana.channelLink("ops").click();
    await dana.page.getByRole("log", { name: "Messages in #ops" }).waitFor();
    await dana.channelLink("gantry").click();
    await dana.page.getByRole("log", { name: "Messages in gantry" }).waitFor();
    await dana.says("/gantry list services");

    await dana.sees("svc-0002");
    expect(town.developer.sees("@gantry").at(-1)?.text).toContain("svc-0002");
    expect(town.developer.sees("ops")).toEqual([]);
  });
});

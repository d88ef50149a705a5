import { expect, test } from "vitest";
import { approvalTown, count } from "../support/approval-town.ts";
import { story } from "./support/story.ts";
import type { Window } from "./support/window.ts";

/** Opens the switches for users, groups and channels. */
async function opensPeople(window: Window): Promise<void> {
  await window.clicks("Trouble");
  const fold = window.page.getByText("People and groups", { exact: true });
  await fold.focus();
  await window.page.keyboard.press("Enter");
}

const onCall = `
rules:
  - name: on call decides
    who: members
    does: disruptive
    then: { approve: { from: S0ONCALL, expires: 30m } }
`;

story("People and groups", (open) => {
  test("a deactivated person can't approve; after reactivation they can", async () => {
    await using town = await approvalTown();
    await using dana = await open({ url: town.playgroundUrl });
    const { page } = dana;

    await opensPeople(dana);
    await page.getByLabel("Alex Kim is deactivated").check();
    await page.getByLabel("Omar Haddad is deactivated").check();
    await dana.says("/gantry restart web");
    await dana.sees("nobody can approve here");
    await page.getByLabel("Alex Kim is deactivated").uncheck();
    town.passMinutes(2);
    await dana.says("/gantry restart web");
    await dana.sees(/Restart web\?/u);

    expect(count(town, "restartService")).toBe(0);
  });

  test("a person who has left the group can't approve for it", async () => {
    await using town = await approvalTown({ policy: onCall });
    await using dana = await open({ url: town.playgroundUrl });
    await using alex = await open({ url: town.playgroundUrl, as: "alex" });

    await dana.says("/gantry restart web");
    await alex.sees("Restart web?");
    await opensPeople(dana);
    await dana.page.getByLabel("Alex Kim is in @oncall").uncheck();
    town.passMinutes(2);
    await alex.log.getByRole("button", { name: "Approve" }).click();
    await alex.sees("You can't approve this");

    expect(count(town, "restartService")).toBe(0);
    await expect.poll(() => dana.page.getByLabel("Omar Haddad is in @oncall").isChecked()).toBe(true);
  });

  test("somebody of another organization comes into the channel, is marked, and may change nothing", async () => {
    await using town = await approvalTown();
    await using dana = await open({ url: town.playgroundUrl });

    await opensPeople(dana);
    await dana.page.getByLabel("Robin Vale is in #ops").check();
    const robins = dana.page.getByRole("navigation", { name: "You are" }).getByRole("link", { name: /Robin Vale/u });
    await robins.waitFor();
    await using robin = await open({ url: town.playgroundUrl, as: "robin" });
    await robin.says("hello from next door");
    await dana.sees("EXTERNAL");
    await robin.says("/gantry scale web 3");
    await robin.sees(/for people from other organizations/u);
    await dana.page.getByLabel("Robin Vale is in #ops").uncheck();

    await robin.channelLink("ops").waitFor({ state: "hidden" });
    expect(count(town, "updateService")).toBe(0);
  });
});

import { expect, test } from "vitest";
import { approvalTown } from "../support/approval-town.ts";
import { story } from "./support/story.ts";

story("Switches for what Slack does to apps", (open) => {
  test("the app loses a scope and its token, and people read which", async () => {
    await using town = await approvalTown();
    await using dana = await open({ url: town.playgroundUrl });

    await dana.clicks("Trouble");
    await dana.page.getByLabel("The app lacks a scope").selectOption("chat:write");
    await dana.page.getByRole("button", { name: "Trouble 1 on" }).waitFor();
    await dana.says("/gantry restart web");
    await dana.sees("the Slack app lacks the chat:write scope");
    await dana.page.getByLabel("The token was revoked").check();
    town.passMinutes(2);
    await dana.says("/gantry restart web");
    await dana.sees("Slack rejected the bot token (token_revoked)");
    await dana.clicks("Turn everything off");
    await dana.page.getByRole("button", { name: "Trouble", exact: true }).waitFor();

    expect(town.playground.faults).toMatchObject({ tokenError: "", missingScopes: [] });
  });

  test("a channel is renamed and made private, and an admin deletes a card there", async () => {
    await using town = await approvalTown();
    await using dana = await open({ url: town.playgroundUrl });

    await dana.says("/gantry restart web");
    await dana.sees("Restart web?");
    await dana.clicks("Trouble");
    await dana.page.getByLabel("Make #ops private").check();
    await dana.page.getByLabel("Rename #ops").click();
    await dana.page.getByLabel("Rename #ops-renamed").waitFor();
    await dana.sees("Restart web?");
    await dana.newest().hover();
    await dana.clicks("More actions for this message");
    await dana.page.getByRole("menuitem", { name: "Delete as an admin" }).click();
    await dana.page.getByRole("button", { name: "Delete", exact: true }).click();
    // Nobody replied to it, so nothing of it stays.
    await dana.message("Restart web?").waitFor({ state: "hidden" });

    expect(town.playground.messages("ops-renamed").filter(({ text }) => text.includes("Restart web?"))).toEqual([]);
  });
});

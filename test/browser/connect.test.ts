import { expect, test } from "vitest";
import { approvalTown } from "../support/approval-town.ts";
import { faults } from "./support/fits.ts";
import { story } from "./support/story.ts";

story("an account is connected in a window", (open) => {
  test("an empty token is refused under its field, a wrong one by the service, and neither stays there", async () => {
    await using town = await approvalTown();
    await using dana = await open({ url: town.playgroundUrl });
    const username = dana.modal.getByRole("textbox", { name: "User name" });
    const token = dana.modal.getByRole("textbox", { name: "API token" });

    await dana.says("/gantry connect");
    await username.and(dana.focused).waitFor();
    await dana.page.keyboard.type("dana");
    await dana.page.keyboard.press("Enter");
    await dana.modal.getByText("Please complete this required field.").waitFor();
    await token.and(dana.focused).waitFor();
    const empty = { invalid: await token.getAttribute("aria-invalid"), faults: await faults(dana) };
    await token.fill("two words");
    await token.press("Enter");
    await dana.modal.getByText("A token has no spaces").waitFor();
    await token.fill("not-a-token-of-anybody");
    await token.press("Enter");
    await dana.modal.getByText("Nothing was connected.").waitFor();
    await dana.modal.getByRole("textbox").and(dana.focused).waitFor();
    const again = { username: await username.inputValue(), token: await token.inputValue() };
    await dana.page.keyboard.press("Escape");
    await dana.modal.waitFor({ state: "hidden" });

    expect(empty).toEqual({ invalid: "true", faults: [] });
    expect(again).toEqual({ username: "dana", token: "" });
    expect(await dana.page.content()).not.toContain("not-a-token-of-anybody");
  });

  test("the right token is linked, and the window says so", async () => {
    await using town = await approvalTown();
    await using dana = await open({ url: town.playgroundUrl });

    await dana.says("/gantry connect");
    await dana.modal.getByRole("textbox", { name: "User name" }).fill("gantry");
    await dana.modal.getByRole("textbox", { name: "API token" }).fill(town.token);
    await dana.page.keyboard.press("Enter");
    await dana.modal.getByText("Account connected. I'll use gantry for you only").waitFor();
    await dana.page.keyboard.press("Escape");
    await dana.modal.waitFor({ state: "hidden" });
    await dana.says("/gantry whoami");
    await dana.sees("gantry, your own");

    expect(await dana.page.content()).not.toContain(town.token);
  });
});

import { expect, test } from "vitest";
import { approvalTown } from "../support/approval-town.ts";
import { story } from "./support/story.ts";

story("editing a message", (open) => {
  test("people edit and delete their own messages, and a request that ran is not run again", async () => {
    await using town = await approvalTown();
    await using dana = await open({ url: town.playgroundUrl });
    await dana.says("@gantry scale web 3");
    await dana.sees("@gantry scale web 3");
    const menu = async (item: string): Promise<void> => {
      await dana.message("scale web").hover();
      await dana.message("scale web").getByRole("button", { name: "More actions for this message" }).click();
      await dana.page.getByRole("menuitem", { name: item }).click();
    };

    await menu("Edit message");
    const field = dana.page.getByRole("textbox", { name: "Edit message" });
    await expect.poll(() => field.inputValue()).toBe("@gantry scale web 3");
    await field.fill("@gantry scale web 4");
    await field.press("Enter");
    await dana.sees(/scale web 4.*\(edited\)/u);
    await town.settled();
    const { target_instance_size: size } = await town.service("web");
    await menu("Delete message");
    await dana.modal.getByRole("button", { name: "Cancel" }).click();
    await dana.sees("scale web 4");
    await menu("Delete message");
    await dana.modal.getByRole("button", { name: "Delete" }).click();
    await dana.message("scale web 4").waitFor({ state: "hidden" });

    expect(size).toBe(3);
  });

  test("Escape keeps the message, and nobody can edit what somebody else wrote", async () => {
    await using town = await approvalTown();
    await using dana = await open({ url: town.playgroundUrl });
    await town.approver.says("a line of alex");
    await dana.says("a line of dana");
    await dana.message("a line of dana").hover();
    await dana.message("a line of dana").getByRole("button", { name: "More actions for this message" }).click();
    await dana.page.getByRole("menuitem", { name: "Edit message" }).click();
    await dana.page.getByRole("textbox", { name: "Edit message" }).fill("something else");
    await dana.page.keyboard.press("Escape");
    await dana.sees("a line of dana");
    await dana.message("a line of alex").hover();
    await dana.message("a line of alex").getByRole("button", { name: "More actions for this message" }).click();
    await dana.page.getByRole("menuitem", { name: "Copy text" }).waitFor();

    await expect.poll(() => dana.page.getByRole("menuitem", { name: "Edit message" }).count()).toBe(0);
    await expect.poll(() => dana.log.getByText("(edited)").count()).toBe(0);
  });
});

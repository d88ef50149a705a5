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

    dana.page.once("dialog", (dialog) => void dialog.accept("@gantry scale web 4"));
    await menu("Edit message");
    await dana.sees(/scale web 4.*\(edited\)/u);
    await town.settled();
    const { target_instance_size: size } = await town.service("web");
    await menu("Delete message");
    await dana.message("scale web 4").waitFor({ state: "hidden" });

    expect(size).toBe(3);
  });
});

import { expect, test } from "vitest";
import { smallApp } from "../support/small-app.ts";
import { story } from "./support/story.ts";
import type { Window } from "./support/window.ts";

/** Fills in the booking form by keyboard. */
async function fillIn(window: Window, ship: string): Promise<void> {
  const { modal } = window;
  await modal.getByRole("textbox", { name: "Ship" }).fill(ship);
  const pier = modal.getByRole("combobox", { name: "Pier" });
  await pier.pressSequentially("nor");
  await window.page.getByRole("option", { name: "North mole" }).click();
  await modal.getByLabel("Day").fill("2026-12-24");
  await modal.getByRole("checkbox", { name: "crane" }).check();
  await modal.getByRole("checkbox", { name: "water" }).check();
}

story("windows of an app", (open) => {
  test("missing fields show an error each, and the input stays", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl });

    await dana.says("/berth book");
    await dana.modal.getByRole("textbox", { name: "Ship" }).fill("Northern Light");
    await dana.modal.getByRole("button", { name: "Book" }).click();
    await dana.modal.getByText("Please complete this required field.").first().waitFor();
    await dana.modal.getByRole("textbox", { name: "Ship" }).focus();
    await dana.modal.getByRole("button", { name: "Book" }).click();
    await dana.focused.and(dana.page.locator("[aria-invalid=true]")).waitFor();

    await expect.poll(() => dana.modal.getByText("Please complete this required field.").count()).toBe(2);
    await expect.poll(() => dana.modal.getByRole("textbox", { name: "Ship" }).inputValue()).toBe("Northern Light");
    await expect.poll(() => dana.focused.getAttribute("aria-invalid")).toBe("true");
  });

  test("the app's errors are under their fields; once corrected, the modal goes to its next view, and then closes", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl });

    await dana.says("/berth book");
    await fillIn(dana, "Ever Given");
    await dana.modal.getByRole("button", { name: "Book" }).click();
    await dana.modal.getByText("That one is stuck elsewhere.").waitFor();
    const kept = {
      ship: await dana.modal.getByRole("textbox", { name: "Ship" }).inputValue(),
      day: await dana.modal.getByLabel("Day").inputValue(),
      crane: await dana.modal.getByRole("checkbox", { name: "crane" }).isChecked(),
      pilot: await dana.modal.getByRole("checkbox", { name: "pilot" }).isChecked(),
    };
    await expect.poll(() => dana.focused.getAttribute("aria-invalid")).toBe("true");
    await dana.focused.fill("Northern Light");
    await dana.focused.press("Enter");
    await dana.modal.getByRole("heading", { name: "Is this right?" }).waitFor();
    await dana.modal.getByRole("button", { name: "Yes, book it" }).click();
    await dana.sees("Booked: Northern Light at North mole on 2026-12-24, needs crane and water");

    expect(kept).toEqual({ ship: "Ever Given", day: "2026-12-24", crane: true, pilot: false });
    await dana.modal.waitFor({ state: "hidden" });
    await expect.poll(() => dana.focused.getAttribute("aria-label")).toBe("Message #ops");
  });

  test("an open window is there again after a reload, with nothing else lost", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl });

    await dana.says("/berth book");
    await dana.modal.getByRole("heading", { name: "Book a berth" }).waitFor();
    await dana.page.reload();

    await dana.modal.getByRole("heading", { name: "Book a berth" }).waitFor();
    await dana.modal.getByRole("button", { name: "Close the form" }).click();
    await dana.modal.waitFor({ state: "hidden" });
    expect(harbour.playground.as("dana").modal()).toBeUndefined();
  });
});

import { expect, test } from "vitest";
import { approvalTown, count } from "../support/approval-town.ts";
import { faults } from "./support/fits.ts";
import { story } from "./support/story.ts";
import type { Window } from "./support/window.ts";

/** Presses a button of the newest card by keyboard. */
async function presses(window: Window, name: string): Promise<void> {
  await window.log.getByRole("button", { name, exact: true }).last().focus();
  await window.page.keyboard.press("Enter");
}

async function buttonsOf(window: Window, text: string | RegExp): Promise<readonly string[]> {
  const names = await window.message(text).getByRole("button").allInnerTexts();
  return names.filter((name) => /^(?:Approve|Reject|Cancel|Undo|Ask again)$/u.test(name));
}

story("a change that two people decide on, in two windows", (open) => {
  test("asked at a desk, approved on a phone: both see it settle, and the thread tells the story", async () => {
    await using town = await approvalTown();
    await using dana = await open({ url: town.playgroundUrl });
    await using alex = await open({ url: town.playgroundUrl, as: "alex", width: 390 });

    await dana.says('/gantry restart web --reason "it leaks"');
    await Promise.all([dana.sees(/Restart web\?/u), alex.sees(/0 of 1/u)]);
    const waiting = { buttons: await buttonsOf(alex, "Restart web?"), faults: await faults(alex) };
    const before = count(town, "restartService");
    await presses(alex, "Approve");
    await Promise.all(
      [dana, alex].map((each) => each.sees(/web restarted[^]*2 of 2 running[^]*approved by\s+Alex Kim/u)),
    );
    await dana.clicks(/repl/u);
    await dana.thread
      .getByText(/(?:restarted|accepted) · @dana/u)
      .last()
      .waitFor();
    const text = await dana.thread.innerText();
    const settled = { buttons: await buttonsOf(alex, "web restarted"), faults: await faults(dana) };

    expect(waiting).toEqual({ buttons: ["Approve", "Reject", "Cancel"], faults: [] });
    expect([before, count(town, "restartService")]).toEqual([0, 1]);
    expect(settled).toEqual({ buttons: [], faults: [] });
    expect(text).toMatch(/(?:restarted|accepted) · @dana/u);
  });

  test("rejecting asks for a reason in a modal, and nothing is sent", async () => {
    await using town = await approvalTown();
    await using dana = await open({ url: town.playgroundUrl, width: 390 });
    await using alex = await open({ url: town.playgroundUrl, as: "alex" });

    await dana.says("/gantry delete web");
    await alex.sees("can't be undone");
    await presses(alex, "Reject");
    await alex.modal
      .getByRole("textbox", { name: /^Reason/u })
      .and(alex.focused)
      .waitFor();
    const asked = await faults(alex);
    await alex.page.keyboard.type("it still has customers");
    await alex.modal.getByRole("button", { name: "Reject" }).focus();
    await alex.page.keyboard.press("Enter");
    await Promise.all([dana, alex].map((each) => each.sees(/Rejected: delete web[^]*nothing was changed/u)));

    expect(asked).toEqual([]);
    await expect.poll(() => dana.message("Rejected by").innerText()).toContain("it still has customers");
    await expect.poll(() => buttonsOf(dana, "Rejected by")).toEqual([]);
    expect(count(town, "deleteService")).toBe(0);
  });

  test("a finished scale is taken back with Undo, which asks like any other change", async () => {
    await using town = await approvalTown();
    await using dana = await open({ url: town.playgroundUrl });
    await using alex = await open({ url: town.playgroundUrl, as: "alex" });

    await dana.says("/gantry scale web 4");
    await dana.sees(/web scaled to 4[^]*instances 2 → 4/iu);
    await presses(dana, "Undo");
    await alex.sees(/Scale web to 2\?[^]*instances 4 → 2[^]*undoes/iu);
    await presses(alex, "Approve");
    await dana.sees(/web scaled to 2[^]*instances 4 → 2/iu);

    expect((await town.service("web")).target_instance_size).toBe(2);
    await expect.poll(() => dana.log.getByRole("button", { name: "Undo" }).count()).toBe(1);
  });
});

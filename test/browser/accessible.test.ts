import { expect, test } from "vitest";
import { longLog } from "../support/many-services.ts";
import { smallApp } from "../support/small-app.ts";
import { world } from "../support/world.ts";
import { seriousFindings } from "./support/axe.ts";
import { story } from "./support/story.ts";

const none = { light: [], dark: [] };

story("accessibility by axe, in light and dark", (open) => {
  test("the workspace: empty, with messages, with a thread, a file, the inspector and the troubles open", async () => {
    await using town = await world({ apiFetch: longLog(1000) });
    await using dana = await open({ url: town.playgroundUrl });
    const findings = () => seriousFindings(dana.page);

    await dana.composer.waitFor();
    const empty = await findings();
    await dana.says("/gantry help");
    await dana.sees("restart");
    await dana.says("/gantry list services --share");
    await dana.sees("web");
    await dana.says("/gantry logs web --size 1000");
    await dana.clicks(/repl/u);
    await dana.thread.getByText("line 1 ").waitFor();
    await dana.composer.pressSequentially("/g");
    const thread = await findings();
    await dana.thread.getByRole("button", { name: / kB$/u }).click();
    await dana.page.getByText("line 1000 ").waitFor();
    await dana.clicks("Inspector");
    await dana.page.getByRole("button", { name: "chat.postMessage" }).first().click();
    await dana.page.getByText('"channel": "C0OPS"').first().waitFor();
    const inspector = await findings();
    await dana.clicks("Trouble");
    const faults = await findings();

    expect({ empty, thread, inspector, faults }).toEqual({
      empty: none,
      thread: none,
      inspector: none,
      faults: none,
    });
  });

  test("an app's window with errors, its menus and its Home tab", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl });

    await dana.says("/berth pick");
    await dana.sees("Northern Light");
    await dana
      .newest()
      .getByRole("button", { name: /^More actions: /u })
      .click();
    const menu = await seriousFindings(dana.page);
    await dana.page.keyboard.press("Escape");
    await dana.says("/berth book");
    await dana.modal.getByRole("button", { name: "Book" }).click();
    await dana.modal.getByText("Please complete this required field.").first().waitFor();
    const modal = await seriousFindings(dana.page);
    await dana.page.keyboard.press("Escape");
    await dana.modal.waitFor({ state: "hidden" });
    await dana.channelLink("harbour").click();
    await dana.clicks("Home");
    await dana.page.getByText("Good morning, @dana.").waitFor();
    const home = await seriousFindings(dana.page);

    expect({ menu, modal, home }).toEqual({ menu: none, modal: none, home: none });
  });
});

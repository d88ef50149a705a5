import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { approvalTown, count } from "../support/approval-town.ts";
import { longLog } from "../support/many-services.ts";
import { world } from "../support/world.ts";
import { faults, faultsOfForm, isInSight } from "./support/fits.ts";
import { story } from "./support/story.ts";
import type { Window } from "./support/window.ts";

/** Types into a picker, chooses the match by keyboard, and waits until the form shows it. */
async function picks({ modal, page }: Window, name: string, typed: string): Promise<void> {
  const picker = modal.getByRole("combobox", { name });
  await picker.pressSequentially(typed);
  const found = page.getByRole("option", { name: new RegExp(`^${typed}`, "u") });
  await found.waitFor();
  await picker.press("Enter");
  await found.waitFor({ state: "hidden" });
}

const field = ({ modal }: Window, name: string): Locator => modal.getByRole("textbox", { name });

/** The submit button, regardless of its current label. */
const sending = ({ modal }: Window, name: string): Locator => modal.getByRole("button", { name, exact: true });

async function closes({ page, modal }: Window): Promise<void> {
  await page.keyboard.press("Escape");
  await modal.waitFor({ state: "hidden" });
}

/** Scaling by keyboard alone: the form of an incomplete command, its picker, and Enter. */
async function scales(window: Window): Promise<void> {
  await window.says("/gantry scale");
  await window.modal.getByRole("combobox", { name: "Service" }).and(window.focused).waitFor();
  await picks(window, "Service", "web");
  await window.modal.getByText("running · 2 instances").waitFor();
  const instances = window.modal.getByRole("spinbutton", { name: "Instances" });
  await instances.fill("4");
  await instances.press("Enter");
  await window.modal.getByText("Started:").waitFor();
  await closes(window);
  await window.sees(/web scaled to 4[^]*instances 2 → 4/iu);
}

/** Creating with the mouse: errors, optional fields, the preview, and then the action. */
async function creates(window: Window) {
  const { modal } = window;
  await window.says("/gantry create");
  await modal.getByText("Type", { exact: true }).waitFor();
  await field(window, "Image").fill("test/web");
  await field(window, "Memory").fill("512");
  await modal.getByRole("button", { name: "More settings" }).click();
  await field(window, "Environment variables").and(window.focused).waitFor();
  await window.page.keyboard.type("LOG_LEVEL=info");
  await sending(window, "Preview").click();
  const unchosen = await isInSight(modal.getByText("Please complete this required field.").first());
  await modal.getByRole("radio", { name: /^Service/u }).check();
  await modal.getByText("Domains").first().waitFor();
  await field(window, "Name").fill("Shop Web");
  await sending(window, "Preview").click();
  const wrongName = modal.locator(".input-block.wrong", { has: window.page.getByRole("textbox", { name: "Name" }) });
  const wrong = await isInSight(wrongName.getByRole("alert"));
  await field(window, "Name").and(window.focused).fill("shop-web");
  const filled = await faultsOfForm(window);
  await sending(window, "Preview").click();
  const previewed = await isInSight(modal.getByText(/Preview: .*shop-web/u));
  await sending(window, "Create").and(window.focused).waitFor();
  return { unchosen, wrong, previewed, filled };
}

story("everything by pointing", (open) => {
  test.each([1280, 390])("a service is scaled through its form, %i pixels wide", async (width) => {
    await using town = await approvalTown();
    await using dana = await open({ url: town.playgroundUrl, width });

    await scales(dana);

    expect((await town.service("web")).target_instance_size).toBe(4);
    await expect.poll(() => dana.focused.getAttribute("aria-label")).toBe("Message #ops");
  });

  test.each([1280, 390])("a service is created through its form, %i pixels wide", async (width) => {
    await using town = await approvalTown();
    await using dana = await open({ url: town.playgroundUrl, width });

    const seen = await creates(dana);
    const before = count(town, "createService");
    await sending(dana, "Create").click();
    await dana.modal.getByText("Started:").waitFor();
    await closes(dana);
    await dana.sees(/shop-web created/u);

    expect(seen).toEqual({ unchosen: true, wrong: true, previewed: true, filled: [] });
    expect([before, count(town, "createService")]).toEqual([0, 1]);
    expect((await town.service("shop-web")).containers?.[0]?.env).toContainEqual(
      expect.objectContaining({ name: "LOG_LEVEL", value: "info" }),
    );
  });

  test("the card of a service restarts it, and deletes it once its name was typed", async () => {
    await using town = await approvalTown();
    await using dana = await open({ url: town.playgroundUrl });
    const card = dana.message(/🟢 web · /u);

    await dana.says("/gantry show web");
    await dana.sees(/🟢 web · /u);
    const drawn = await faults(dana);
    await card.getByRole("button", { name: "Restart" }).click();
    await dana.modal.getByText("Restarts all 2 instances. Causes a short interruption.").waitFor();
    await sending(dana, "Restart").click();
    await dana.modal.getByText("Sent for approval").waitFor();
    await closes(dana);
    await card.getByRole("button", { name: "More actions: overflow" }).click();
    await dana.page.getByRole("menuitem", { name: "Delete" }).click();
    await field(dana, "Confirm the name").fill("wep");
    await sending(dana, "Delete").click();
    await dana.modal.getByRole("alert").filter({ hasText: "web" }).waitFor();
    await field(dana, "Confirm the name").and(dana.focused).fill("web");
    await dana.page.keyboard.press("Enter");
    await dana.modal.getByText("Sent for approval").waitFor();
    await closes(dana);

    await dana.sees(/Permanently deletes web/u);
    await dana.sees(/Restart web\?/u);
    expect(drawn).toEqual([]);
    expect([count(town, "restartService"), count(town, "deleteService")]).toEqual([0, 0]);
  });

  test("a workload is chosen from a list's menu, and nobody else sees it", async () => {
    await using town = await approvalTown();
    await using dana = await open({ url: town.playgroundUrl });
    const picker = dana.newest().getByRole("combobox", { name: "Act on…" });

    await dana.says("/gantry list");
    await picker.click();
    await dana.page.getByRole("option", { name: /^web/u }).click();
    await dana.sees(/Only visible to you[^]*🟢 web · /u);
    await dana
      .message(/🟢 web · /u)
      .getByRole("button", { name: "Scale" })
      .click();
    await dana.modal.getByText("running · 2 instances").waitFor();

    await expect.poll(() => dana.modal.getByRole("combobox", { name: "Service" }).inputValue()).toBe("web");
    expect(town.approver.sees("ops")).toEqual([]);
  });

  test("on Home one approves, creates, and chooses a region", async () => {
    await using town = await approvalTown();
    await town.approver.says("/gantry restart web --reason 'it leaks'", { channel: "ops" });
    await town.settled();
    await using dana = await open({ url: town.playgroundUrl, in: "@gantry", tab: "home" });
    const home = dana.page.getByRole("region", { name: "Home of gantry" });

    await home.getByRole("heading", { name: "Waiting for you" }).waitFor();
    const drawn = await faults(dana);
    await home.getByRole("button", { name: "Approve" }).click();
    await home.getByRole("heading", { name: "Waiting for you" }).waitFor({ state: "hidden" });
    await home.getByRole("button", { name: "Create", exact: true }).click();
    await dana.modal.getByRole("radio", { name: /^Job/u }).check();
    await field(dana, "Name").fill("nightly");
    await field(dana, "Image").fill("test/job");
    await dana.modal.getByRole("combobox", { name: "Channel" }).click();
    const options = await dana.page.getByRole("option").allInnerTexts();
    await dana.page.getByRole("option", { name: "#ops" }).click();
    await sending(dana, "Preview").click();
    await sending(dana, "Create").click();
    await dana.modal.getByText(/The card in\s+#ops\s+shows the outcome/u).waitFor();
    await closes(dana);
    await home.getByRole("combobox").last().click();
    await dana.page.getByRole("option", { name: "beijing2" }).click();

    await home.getByText("Workloads (beijing2)").waitFor();
    await expect.poll(() => count(town, "createJob")).toBe(1);
    expect(drawn).toEqual([]);
    expect(count(town, "restartService")).toBe(1);
    expect(options.map((text) => text.trim()).toSorted()).toEqual(["#general", "#incidents", "#ops"]);
  });

  test("a message's menu puts log lines into its thread", async () => {
    await using town = await world({ apiFetch: longLog(30) });
    await using dana = await open({ url: town.playgroundUrl });

    await town.approver.says("web answers 502 since ten, anybody?");
    await dana.newest().hover();
    await dana.newest().getByRole("button", { name: "More actions for this message" }).click();
    await dana.page.getByRole("menuitem", { name: /Logs in this thread/iu }).click();
    await field(dana, "Filter").fill("orders/7");
    const guessed = await dana.modal.getByRole("combobox", { name: "Workload" }).inputValue();
    await dana.page.keyboard.press("Enter");
    await dana.modal.waitFor({ state: "hidden" });
    await dana.clicks(/repl/u);

    await dana.thread.getByText("GET /orders/7 200").waitFor();
    expect(guessed).toContain("web");
  });

  test("a shortcut of the composer finds a workload, and the conversation with Gantry shows it", async () => {
    await using town = await approvalTown();
    await using dana = await open({ url: town.playgroundUrl });

    await dana.clicks("Shortcuts");
    await dana.page.getByRole("menuitem", { name: "Find workload" }).click();
    await dana.modal.getByText("Workload", { exact: true }).first().waitFor();
    await picks(dana, "Workload", "web");
    await sending(dana, "Show").click();
    await dana.modal.waitFor({ state: "hidden" });
    // Before the answer is there, the link leads to Home.
    await dana.channelLink(/^gantry ?, 1 for you$/u).click();

    await dana.page.getByRole("log", { name: "Messages in gantry" }).waitFor();
    await dana.sees(/🟢 web · /u);
    expect(town.approver.sees("ops")).toEqual([]);
  });

  test("a mention in a thread that lacks a word has a button, and its form answers there", async () => {
    await using town = await approvalTown();
    await using dana = await open({ url: town.playgroundUrl });
    const reply = dana.thread.getByRole("textbox", { name: "Reply" });

    await dana.says("orders time out");
    await dana.sees("orders time out");
    await dana.newest().hover();
    await dana
      .newest()
      .getByRole("button", { name: /reply in (?:a )?thread/iu })
      .click();
    await reply.fill("@gantry show");
    await reply.press("Enter");
    await dana.thread.getByText("needs a workload").waitFor();
    await dana.thread.getByRole("button", { name: "Open form" }).click();
    await picks(dana, "Workload", "web");
    await sending(dana, "Show").click();

    await dana.thread.getByText("running").first().waitFor();
    const replies = town.approver.sees("ops").filter(({ ts, threadTs }) => threadTs !== undefined && threadTs !== ts);
    expect(replies.at(-1)?.text).toContain("running");
  });
});

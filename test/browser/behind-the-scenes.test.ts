import { expect, test } from "vitest";
import { longLog, manyServices } from "../support/many-services.ts";
import { smallApp } from "../support/small-app.ts";
import { world } from "../support/world.ts";
import { story } from "./support/story.ts";

story("behind the scenes", (open) => {
  test("the inspector shows each exchange with its status, how soon it was acked, and its JSON", async () => {
    await using town = await world({ apiFetch: manyServices(3) });
    await using dana = await open({ url: town.playgroundUrl });

    await dana.clicks("Inspector");
    await dana.says("/gantry list services");
    await dana.sees("svc-0001");
    const drawer = dana.page.getByRole("region", { name: "Inspector" });
    const command = drawer.getByRole("button", { name: "slash_command" });
    await expect.poll(() => command.innerText()).toMatch(/Slack → Gantry[^]*200[^]*acked in \d+(?:\.\d)? ms/u);
    await command.click();
    await drawer.getByLabel("Request", { exact: true }).getByText('"text": "list services"').waitFor();
    await drawer.getByRole("button", { name: "Copy the request" }).click();
    await dana.page.getByText("Request copied.").waitFor();
    const copied = await dana.page.evaluate<string>("navigator.clipboard.readText()");

    expect(JSON.parse(copied)).toMatchObject({ command: "/gantry", text: "list services", user_name: "dana" });
    await expect
      .poll(() => drawer.getByRole("button", { name: "response_url" }).innerText())
      .toContain("Gantry → Slack");
  });

  test("refusals are counted, and shown in red with a link to the rule", async () => {
    await using harbour = await smallApp();
    await using dana = await open({ url: harbour.playgroundUrl });

    await dana.says("/berth wrong");
    await dana.sees("Slack did not take that.");
    await dana.page.getByRole("button", { name: "Inspector 1 refused" }).click();
    const drawer = dana.page.getByRole("region", { name: "Inspector" });
    await drawer.getByLabel("Only refused (1)").check();
    const line = drawer.getByRole("button", { name: "chat.postMessage" });
    const words = await line.innerText();
    await line.click();
    const link = drawer.getByRole("link", { name: /^Slack's documentation / });
    await link.waitFor();

    await expect.poll(() => drawer.getByRole("listitem").count()).toBe(1);
    expect(words).toContain("50");
    await expect.poll(() => link.getAttribute("href")).toMatch(/^https:\/\/docs\.slack\.dev\//u);
    await expect.poll(() => dana.page.evaluate<string>(redOf(".exchange.bad .exchange-outcome"))).toBe("red");
  });

  test("a command that is not acked in time fails as in Slack, and the inspector shows the rule", async () => {
    await using harbour = await smallApp({ ackMs: 400 });
    await using dana = await open({ url: harbour.playgroundUrl });

    await dana.says("/berth slow");
    await dana.sees('/berth failed with the error "operation_timeout"');
    await dana.page.getByRole("button", { name: "Inspector 1 refused" }).click();
    const drawer = dana.page.getByRole("region", { name: "Inspector" });

    await expect.poll(() => dana.newest().innerText()).toContain("Only visible to you");
    await expect
      .poll(() => drawer.getByRole("button", { name: "slash_command" }).innerText())
      .toContain("operation_timeout");
  });

  test("a message is copied as JSON from its menu, with the ids that Slack gave its blocks", async () => {
    await using town = await world({ apiFetch: manyServices(3) });
    await using dana = await open({ url: town.playgroundUrl });

    await dana.says("/gantry list services");
    await dana.sees("svc-0001");
    await dana.newest().hover();
    await dana.clicks("More actions for this message");
    await dana.page.getByRole("menuitem", { name: "Copy as JSON" }).click();
    await dana.page.getByText("JSON copied.").waitFor();
    const copied = await dana.page.evaluate<string>("navigator.clipboard.readText()");

    const { blocks } = JSON.parse(copied) as { blocks: { block_id?: string }[] }; // what was just copied
    expect(blocks.length).toBeGreaterThan(0);
    expect(blocks.every(({ block_id }) => block_id !== undefined && block_id !== "")).toBe(true);
  });

  test("without the bot in the channel, only the asker sees the log, with a hint to invite the bot", async () => {
    await using town = await world({ apiFetch: longLog(3) });
    await using dana = await open({ url: town.playgroundUrl });
    await using alex = await open({ url: town.playgroundUrl, as: "alex" });

    await dana.clicks("Trouble");
    await dana.page.getByLabel("Remove gantry from #ops").check();
    await alex.page.getByText("Gantry isn't in this channel", { exact: true }).waitFor();
    await dana.says("/gantry logs web");
    await dana.sees("line 3 GET");
    await dana.sees("/invite @gantry");
    await dana.says("/invite @gantry");
    await dana.sees("@gantry is now in #ops.");
    await dana.says("/gantry logs web");
    await dana.clicks("1 reply");
    await alex.clicks("1 reply");

    await alex.thread.getByText("line 3 GET").waitFor();
    await expect.poll(() => alex.log.getByRole("article").count()).toBe(1);
  });

  test("with the workload API down, Gantry says what happened and what to do, and goes on when it is back", async () => {
    await using town = await world({ apiFetch: manyServices(3) });
    await using dana = await open({ url: town.playgroundUrl });

    await dana.clicks("Trouble");
    await dana.page.getByLabel("The workload API is down").check();
    await dana.says("/gantry list services");
    await dana.sees(/The workload API at [^]* refused the connection[^]*Try again in a minute/u);
    await dana.clicks("Turn everything off");
    await dana.page.getByRole("button", { name: "Trouble", exact: true }).waitFor();
    await dana.says("/gantry list services");
    await dana.sees("svc-0001");

    expect(town.calls()).toEqual(["listServices"]);
  });

  test("everything is turned off also after a request that failed, and when the page believes that nothing is on", async () => {
    await using town = await world({ apiFetch: manyServices(3) });
    await using dana = await open({ url: town.playgroundUrl });
    const { faults } = town.playground;
    await dana.clicks("Trouble");
    await dana.page.getByLabel("The workload API is down").check();
    await dana.page.getByLabel("Slack is slow").check();
    await dana.page.getByRole("button", { name: "Trouble 2 on" }).waitFor();

    await dana.page.evaluate(
      "{ const real = fetch; fetch = () => { fetch = real; return Promise.reject(new Error()); }; }",
    );
    await dana.clicks("Turn everything off");
    await dana.page.getByText("The playground isn't running").waitFor();
    await dana.clicks("Turn everything off");
    await dana.page.getByRole("button", { name: "Trouble", exact: true }).waitFor();
    // A fault of Slack's that this page has no switch for.
    faults.appTokenError = "internal_error";
    await dana.clicks("Turn everything off");

    await expect.poll(() => faults.appTokenError).toBe("");
    await dana.says("/gantry list services");
    await dana.sees("svc-0001");
  });

  test("delivered twice, a command is answered once", async () => {
    await using town = await world({ apiFetch: manyServices(3) });
    await using dana = await open({ url: town.playgroundUrl });

    await dana.clicks("Trouble");
    await dana.page.getByLabel("Slack delivers twice").check();
    await dana.page.getByRole("button", { name: "Trouble 1 on" }).waitFor();
    await dana.says("/gantry list services");
    await dana.sees("svc-0001");
    await town.settled();
    const answers = await dana.log.getByRole("article").count();
    await dana.clicks("Turn everything off");
    await dana.page.getByRole("button", { name: "Trouble", exact: true }).waitFor();

    const commands = town.playground.transcript().filter(({ kind }) => kind === "slash_command");
    expect([commands.length, answers]).toEqual([2, 1]);
    expect(town.playground.faults.deliverTwice).toBe(false);
  });
});

/** Whether an element's text is red rather than green or blue. */
function redOf(selector: string): string {
  return `(() => {
    const [red, green, blue] = getComputedStyle(document.querySelector("${selector}")).color.match(/[\\d.]+/g).map(Number);
    return red > 1.5 * green && red > 1.5 * blue ? "red" : [red, green, blue].join();
  })()`;
}

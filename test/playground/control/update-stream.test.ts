import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type LivePage, openPage } from "../support/live-page.ts";
import { actions, button, plain } from "../support/samples.ts";
import { running, type SmallWorld, startSmallWorld } from "../support/small-world.ts";

let world: SmallWorld;
const pages: LivePage[] = [];
beforeEach(async () => {
  world = await startSmallWorld(running);
});
afterEach(async () => {
  await Promise.all(pages.splice(0).map(async (page) => page.close()));
  await world.stop();
});

async function pageOf(as: string, lastEventId?: string): Promise<LivePage> {
  const page = await openPage(world.url, as, lastEventId);
  pages.push(page);
  return page;
}

const has = (text: string, channel = "C0OPS") => ({
  test: (workspace: ReturnType<LivePage["workspace"]>): boolean =>
    (workspace.messages[channel] ?? []).some((message) => message.text === text),
});

async function whisper(user: string, text: string): Promise<void> {
  await world.web.chat.postEphemeral({ channel: "C0OPS", user, text });
}

describe("the updates of one person", () => {
  test("a message appears, changes and disappears without a reload", async () => {
    const dana = await pageOf("dana");
    const { ts = "" } = await world.post({ channel: "C0OPS", text: "one" });
    await dana.until(has("one").test);

    await world.web.chat.update({ channel: "C0OPS", ts, text: "two" });
    const changed = await dana.until(has("two").test);
    await world.web.chat.delete({ channel: "C0OPS", ts });
    await dana.until((now) => now.messages["C0OPS"]?.length === 0);

    expect(changed.messages["C0OPS"]).toMatchObject([{ ts, text: "two", isEdited: true, user: "U0BOT" }]);
  });

  test("ephemeral messages reach one person, are marked, and are gone at a reload", async () => {
    const [dana, alex] = [await pageOf("dana"), await pageOf("alex")];
    await whisper("U0DANA", "only for dana");
    await world.post({ channel: "C0OPS", text: "for all" });
    await Promise.all([dana.until(has("for all").test), alex.until(has("for all").test)]);
    const reloaded = await pageOf("dana");

    expect(dana.texts("C0OPS")).toEqual(["only for dana", "for all"]);
    expect(dana.workspace().messages["C0OPS"]?.[0]?.isEphemeral).toBe(true);
    expect(alex.texts("C0OPS")).toEqual(["for all"]);
    expect(reloaded.texts("C0OPS")).toEqual(["for all"]);
  });

  test("an ephemeral message that is replaced after a reload does not come back", async () => {
    const blocks = [actions(button({ text: plain("Next") }))];
    world.bot.answer = () => ({ json: { text: "page 1", blocks } });
    await world.playground.as("dana").says("/gantry list");
    const reloaded = await pageOf("dana");
    world.bot.answer = () => undefined;
    await world.playground.as("dana").clicks("Next");
    const body = JSON.stringify({ text: "page 2", replace_original: true });
    await fetch(String(world.bot.last()["response_url"]), { method: "POST", body });
    await world.post({ channel: "C0OPS", text: "for all" });
    await reloaded.until(has("for all").test);

    expect(reloaded.texts("C0OPS")).toEqual(["for all"]);
    expect(world.playground.as("dana").sees()).toHaveLength(2);
  });

  test("a connection that broke goes on where it was, ephemeral messages included", async () => {
    const before = await pageOf("dana");
    await world.post({ channel: "C0OPS", text: "seen" });
    await before.until(has("seen").test);
    await before.close();
    await whisper("U0DANA", "meanwhile");
    const after = await pageOf("dana", before.lastEventId());
    await after.until(has("meanwhile").test);

    expect(after.texts("C0OPS")).toEqual(["meanwhile"]);
  });

  test("the event id of another process gets a complete update", async () => {
    await world.post({ channel: "C0OPS", text: "old" });
    const page = await pageOf("dana", "00000000/999/9999999999.000000");

    expect(page.texts("C0OPS")).toEqual(["old"]);
  });

  test.each([
    ["dana", ["ops", "general", "incidents"]],
    ["omar", ["ops", "general"]],
    ["gwen", ["ops"]],
  ])("%s sees only own channels", async (as, names) => {
    await world.playground.as("dana").says("secret", { channel: "incidents" });
    const page = await pageOf(as);
    const channels = page.workspace().snapshot?.channels ?? [];

    expect(channels.filter((channel) => channel.kind !== "im").map((channel) => channel.name)).toEqual(names);
    expect(page.texts("C0INCIDENTS")).toEqual(as === "dana" ? ["secret"] : []);
  });

  test("nobody is shown another's modal or Home tab", async () => {
    const view = { type: "home" as const, blocks: [] };
    await world.call("views.publish", { user_id: "U0ALEX", view });
    const [dana, alex] = [await pageOf("dana"), await pageOf("alex")];

    expect(alex.workspace().snapshot?.home).toMatchObject({ type: "home" });
    expect(dana.workspace().snapshot?.home).toBeNull();
  });

  test.each(["bob", "gantry", "slackbot"])("one cannot be %s", async (name) => {
    await expect(openPage(world.url, name)).rejects.toThrow(
      `404: {"error":"There's no person \\"${name}\\". People here: dana, alex, omar and gwen."}`,
    );
  });

  test("a page of another origin does not get the events", async () => {
    const response = await fetch(`${world.url}/playground/events?as=dana`, {
      headers: { origin: "https://evil.test" },
    });

    expect(response.status).toBe(403);
  });
});

describe("the inspector", () => {
  test("shows each exchange with its ack time, and its JSON by id", async () => {
    const dana = await pageOf("dana");
    await world.playground.as("dana").says("/gantry list");
    const { exchanges } = await dana.until((now) => now.exchanges.some((each) => each.ms !== null));
    const [command] = exchanges;
    const bodies = await (await fetch(`${world.url}/playground/exchanges/${command?.id}`)).json();

    expect(command).toMatchObject({ direction: "to bot", kind: "slash_command", status: 200, outcome: "ok" });
    expect(command?.ms).toBeGreaterThan(0);
    expect(bodies).toMatchObject({ request: { command: "/gantry", text: "list" }, answer: null });
  });

  test("a refusal has its rule and its link", async () => {
    const dana = await pageOf("dana");
    await world.call("chat.postMessage", { channel: "C0OPS", text: "x".repeat(40_001) });
    const { exchanges } = await dana.until((now) => now.exchanges.some((each) => each.refusal !== null));

    expect(exchanges[0]).toMatchObject({
      direction: "from bot",
      kind: "chat.postMessage",
      outcome: "msg_too_long",
      refusal: { rule: "message.text", link: expect.stringContaining("https://docs.slack.dev/") },
    });
  });

  test("an exchange that is not kept has no bodies", async () => {
    const response = await fetch(`${world.url}/playground/exchanges/99`);

    expect(response.status).toBe(404);
  });
});

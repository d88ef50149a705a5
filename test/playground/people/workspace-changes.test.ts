import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { actOnPage } from "../support/live-page.ts";
import { modal, trigger, channelInfo } from "../support/samples.ts";
import { running, type SmallWorld, startSmallWorld } from "../support/small-world.ts";

let world: SmallWorld;
beforeEach(async () => {
  world = await startSmallWorld(running);
});
afterEach(async () => {
  await world.stop();
});

const people = () => world.playground.people;
const onCall = async () => (await world.call("usergroups.users.list", { usergroup: "S0ONCALL" }))["users"];
const membersOf = async (channel: string) => (await world.call("conversations.members", { channel }))["members"];

describe("while the bot runs", () => {
  test("somebody leaves a user group and joins it again", async () => {
    people().leaveGroup("oncall", "alex");
    const without = await onCall();
    people().joinGroup("@oncall", "dana");
    people().joinGroup("S0ONCALL", "dana");
    people().joinGroup("oncall", "omar");
    const groups = await world.call("usergroups.list", { include_users: true });

    expect(without).toEqual(["U0OMAR"]);
    expect(await onCall()).toEqual(["U0OMAR", "U0DANA"]);
    expect(groups["usergroups"]).toMatchObject([{ users: ["U0OMAR", "U0DANA"], user_count: 2 }]);
  });

  test("somebody is let into a channel and taken out of it, the bot as well", async () => {
    people().invite("general", "gwen");
    people().remove("general", "dana");
    const members = await membersOf("C0GENERAL");
    people().remove("ops", "gantry");
    const out = await world.call("chat.postMessage", { channel: "C0OPS", text: "x" });
    people().invite("#ops", "gantry");
    const back = await world.call("chat.postMessage", { channel: "C0OPS", text: "x" });

    expect(members).toEqual(["U0ALEX", "U0OMAR", "U0GWEN"]);
    expect(out).toMatchObject({ ok: false, error: "not_in_channel" });
    expect(back).toMatchObject({ ok: true });
  });

  test("somebody becomes a workspace admin, and stops being one", async () => {
    const userOf = async (user: string): Promise<unknown> => (await world.call("users.info", { user }))["user"];
    const before = await userOf("U0DANA");
    await actOnPage(world.url, "people", { do: "setAdmin", person: "dana", isAdmin: true });
    const now = await userOf("U0DANA");
    people().setAdmin("alex", false);

    expect(before).toMatchObject({ is_admin: false });
    expect(now).toMatchObject({ is_admin: true });
    expect(await userOf("U0ALEX")).toMatchObject({ is_admin: false });
  });

  test("a deactivated person stays in their user group and gets their channels back", async () => {
    people().deactivate("omar");
    const deactivated = [await onCall(), await membersOf("C0OPS")];
    people().reactivate("omar");

    expect(deactivated).toEqual([
      ["U0OMAR", "U0ALEX"],
      ["U0DANA", "U0ALEX", "U0GWEN", "U0BOT"],
    ]);
    expect(await membersOf("C0OPS")).toContain("U0OMAR");
  });

  test("a deactivated person can't act, but still sees their messages", async () => {
    const alex = world.playground.as("alex");
    await world.call("views.open", { trigger_id: await trigger(world), view: modal() });
    await world.post({ channel: "C0OPS", text: "hello" });
    people().deactivate("alex");
    people().deactivate("dana");
    const { received } = world.bot;
    const before = received.length;
    const dana = world.playground.as("dana");
    const tries = [
      () => alex.says("hi"),
      () => alex.opensHome(),
      () => alex.uses("create"),
      () => alex.selects("x", "y"),
      () => alex.searches("x", "y"),
      () => dana.submits(),
      () => dana.closes(),
      () => dana.closes(),
    ];

    for (const attempt of tries) await expect(attempt()).rejects.toThrow("is deactivated. Reactivate them");
    expect(received).toHaveLength(before);
    expect(alex.sees().at(-1)?.text).toBe("hello");
    expect(dana.modal()).toBeDefined();
  });

  test("somebody of another organization acts like everybody in a shared channel, and sees no other one", async () => {
    const robin = people().addOutsider({ name: "robin", realName: "Robin Vale", channel: "ops" });
    const { acked } = await robin.says("/gantry list");
    const list = await world.call("users.list", {});

    expect(acked).toBe(true);
    expect(robin.id).toBe("U0ROBIN");
    expect(world.playground.as("robin").sees()).toEqual([]);
    expect(() => robin.sees("general")).toThrow("robin isn't in #general.");
    expect(list["members"]).toContainEqual(expect.objectContaining({ id: "U0ROBIN", team_id: "T0ELSEWHERE" }));
  });

  test("an id of one's own is kept, and nobody comes twice", () => {
    const robin = { id: "U0XYZ", name: "robin", realName: "Robin Vale", channel: "ops" };
    people().addOutsider(robin);

    expect(world.playground.as("U0XYZ").name).toBe("robin");
    expect(() => people().addOutsider(robin)).toThrow("Somebody already has the name");
    expect(() => people().addOutsider({ ...robin, id: "U0NEW", name: "dana" })).toThrow(
      "Somebody already has the name",
    );
  });

  test("a person lets somebody of another organization in with /invite, and the channel is shared", async () => {
    people().addOutsider({ name: "robin", realName: "Robin Vale", channel: "ops" });
    await world.playground.as("dana").says("/invite @robin", { channel: "general" });
    const channel = await channelInfo(world, "C0GENERAL");

    expect(channel).toMatchObject({ is_ext_shared: true });
  });

  test("a message of the bot is deleted, and can be neither changed, deleted nor linked", async () => {
    const { ts = "" } = await world.post({ channel: "C0OPS", text: "card" });
    people().removeMessage("ops", ts);
    const at = { channel: "C0OPS", ts };
    const update = await world.call("chat.update", { ...at, text: "x" });
    const removed = await world.call("chat.delete", at);
    const link = await world.call("chat.getPermalink", { channel: "C0OPS", message_ts: ts });

    const errors = [update, removed, link].map((answer) => answer["error"]);
    expect(errors).toEqual(["message_not_found", "message_not_found", "message_not_found"]);
    expect(world.playground.messages("ops")).toEqual([]);
  });

  test.each([
    ["person", () => people().deactivate("bob"), 'There\'s no person "bob". People here: dana, alex, omar and gwen.'],
    ["bot among people", () => people().deactivate("gantry"), 'no person "gantry".'],
    ["group", () => people().joinGroup("nobody", "dana"), 'There is no user group "nobody".'],
    ["channel", () => people().invite("nowhere", "dana"), 'There is no channel "nowhere".'],
    ["user of a channel", () => people().invite("ops", "bob"), 'no person "bob".'],
    ["channel of a message", () => people().removeMessage("nowhere", "1.2"), "There is no message 1.2"],
    ["message", () => people().removeMessage("ops", "1.2"), 'There is no message 1.2 in "ops".'],
  ])("an unknown %s is refused with a sentence", (_what, change, sentence) => {
    expect(change).toThrow(sentence);
  });

  test("watchers are called at each change", () => {
    let changes = 0;
    world.playground.watch(() => void (changes += 1));
    people().leaveGroup("oncall", "alex");
    people().deactivate("alex");
    people().reactivate("alex");
    people().remove("ops", "gwen");

    expect(changes).toBe(4);
  });

  test("one workspace knows nothing of the people of another", async () => {
    people().deactivate("alex");
    people().leaveGroup("oncall", "omar");
    const other = await startSmallWorld(running);
    const { user } = await other.call("users.info", { user: "U0ALEX" });
    const { users } = await other.call("usergroups.users.list", { usergroup: "S0ONCALL" });
    await other.stop();

    expect(user).toMatchObject({ deleted: false });
    expect(users).toEqual(["U0OMAR", "U0ALEX"]);
  });
});

describe("by the control routes", () => {
  const change = (body: Parameters<typeof actOnPage>[2]) => actOnPage(world.url, "people", body);

  test("everything can be changed as from the program", async () => {
    const { ts = "" } = await world.post({ channel: "C0OPS", text: "card" });
    const done = [
      await change({ do: "deactivate", person: "gwen" }),
      await change({ do: "reactivate", person: "gwen" }),
      await change({ do: "deactivate", person: "omar", signsOut: false }),
      await change({ do: "leaveGroup", group: "oncall", person: "alex" }),
      await change({ do: "joinGroup", group: "oncall", person: "dana" }),
      await change({ do: "invite", channel: "general", user: "gwen" }),
      await change({ do: "remove", channel: "C0OPS", user: "alex" }),
      await change({ do: "addOutsider", name: "robin", realName: "Robin Vale", channel: "C0OPS" }),
      await change({ do: "removeMessage", channel: "C0OPS", ts }),
    ];

    for (const each of done) expect(each).toEqual({ status: 200, body: {} });
    expect(await onCall()).toEqual(["U0OMAR", "U0DANA"]);
    expect(await membersOf("C0GENERAL")).toEqual(["U0DANA", "U0ALEX", "U0GWEN"]);
    expect(await membersOf("C0OPS")).toEqual(["U0DANA", "U0GWEN", "U0BOT", "U0ROBIN"]);
    expect(world.playground.messages("ops")).toEqual([]);
    await expect(world.playground.as("omar").says("still here")).resolves.toMatchObject({ kind: "message" });
  });

  test("wrong requests are answered with a sentence", async () => {
    const unknown = await change({ do: "deactivate", person: "bob" });
    const misspelt = await change({ do: "vanish", person: "alex" });
    const spaced = await change({ do: "addOutsider", name: "two words", realName: "x", channel: "ops" });

    expect(unknown).toEqual({
      status: 400,
      body: { error: 'There\'s no person "bob". People here: dana, alex, omar and gwen.' },
    });
    expect([misspelt.status, spaced.status]).toEqual([400, 400]);
  });

  test("from the page, a deactivated person may look and read, and nothing else", async () => {
    const { ts } = await world.post({ channel: "C0OPS", text: "hello" });
    await change({ do: "deactivate", person: "alex" });
    const refused = await actOnPage(world.url, "say", { as: "alex", channel: "C0OPS", text: "hi" });
    const home = await actOnPage(world.url, "home", { as: "alex", tab: "home" });
    const read = await actOnPage(world.url, "read", { as: "alex", conversation: "C0OPS", ts });
    const stream = await fetch(`${world.url}/playground/events?as=alex`);
    await stream.body?.cancel();

    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining("Alex Kim is deactivated") } });
    expect(home.status).toBe(400);
    expect(read.status).toBe(200);
    expect(stream.status).toBe(200);
  });
});

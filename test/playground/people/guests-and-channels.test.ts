import { afterEach, beforeEach, expect, test } from "vitest";
import { type SmallWorld, startSmallWorld } from "../support/small-world.ts";
import { channelInfo } from "../support/samples.ts";

let world: SmallWorld;
beforeEach(async () => {
  world = await startSmallWorld();
});
afterEach(async () => {
  await world.stop();
});

const people = () => world.playground.people;
const membersOf = async (channel: string) => (await world.call("conversations.members", { channel }))["members"];

test("somebody becomes a guest and a full member again", async () => {
  const alex = async () => (await world.call("users.info", { user: "U0ALEX" }))["user"];
  people().setGuest("alex", true);
  const guest = await alex();
  people().setGuest("alex", false);

  expect(guest).toMatchObject({ is_restricted: true });
  expect(await alex()).toMatchObject({ is_restricted: false });
  expect(await membersOf("C0OPS")).toContain("U0ALEX");
});

test("a channel gets another name, and becomes private, under the same id", async () => {
  const info = () => channelInfo(world, "C0OPS");
  people().rename("ops", "operations");
  people().setPrivate("operations", true);
  const changed = await info();
  await world.playground.as("dana").says("/gantry list", { channel: "operations" });
  const { channel_name } = world.bot.last();
  people().remove("operations", "gantry");
  const hidden = await world.call("chat.postMessage", { channel: "C0OPS", text: "x" });

  expect(changed).toMatchObject({ name: "operations", is_private: true, is_member: true });
  expect(channel_name).toBe("privategroup");
  expect(hidden).toMatchObject({ error: "channel_not_found" });
  expect(() => people().rename("operations", "general")).toThrow('There is a channel "general" already.');
});

import { afterEach, beforeEach, expect, test } from "vitest";
import { modal, trigger } from "../support/samples.ts";
import { app, type SmallWorld, startSmallWorld } from "../support/small-world.ts";

// The bot's lookups of people and messages, and the scopes they need.

let world: SmallWorld;
beforeEach(async () => {
  world = await startSmallWorld();
});
afterEach(async () => {
  await world.stop();
});

test("a list gives at most 999 at once", async () => {
  for (const number of Array(1_000).keys()) world.playground.people.addPerson(`member-${number}`, ["ops"]);
  const members = (limit: number, cursor = "") =>
    world.call("conversations.members", { channel: "C0OPS", limit, cursor });
  const first = await members(999);
  const { next_cursor: cursor } = first["response_metadata"] as { next_cursor: string }; // each page has one
  const second = await members(999, cursor);
  const refused = await members(1_000);

  expect(first["members"]).toHaveLength(999);
  expect(second["members"]).toHaveLength(6);
  expect(refused).toMatchObject({
    error: "invalid_limit",
    response_metadata: {
      messages: ["[ERROR] limit must be at least 1 and < 1000, not 1000 [json-pointer:/limit]"],
    },
  });
});

test("a new user group is listed with its people", async () => {
  world.playground.people.addGroup("release", ["dana", "gwen"]);
  const { usergroups } = await world.call("usergroups.list", { include_users: true });
  const { users } = await world.call("usergroups.users.list", { usergroup: "S0RELEASE" });

  expect(usergroups).toContainEqual(expect.objectContaining({ handle: "release", users: ["U0DANA", "U0GWEN"] }));
  expect(users).toEqual(["U0DANA", "U0GWEN"]);
  expect(() => world.playground.people.addGroup("release", [])).toThrow("exists already");
});

test.each([
  ["users.info", { user: "U0DANA" }, "users:read"],
  ["users.list", {}, "users:read"],
  ["usergroups.users.list", { usergroup: "S0ONCALL" }, "usergroups:read"],
  ["usergroups.list", {}, "usergroups:read"],
  ["conversations.members", { channel: "C0OPS" }, "channels:read"],
  ["users.conversations", {}, "channels:read"],
  ["chat.postMessage", { channel: "C0OPS", text: "x" }, "chat:write"],
  ["chat.update", { channel: "C0OPS", ts: "1.2", text: "x" }, "chat:write"],
  ["chat.postEphemeral", { channel: "C0OPS", user: "U0DANA", text: "x" }, "chat:write"],
])("%s needs its scope", async (method, args, scope) => {
  const poor = await startSmallWorld({ app: { ...app, scopes: app.scopes.filter((each) => each !== scope) } });
  const refused = await poor.call(method, args);
  await poor.stop();
  const taken = await world.call(method, args);

  expect(refused).toMatchObject({ ok: false, error: "missing_scope", needed: expect.stringContaining(scope) });
  expect(taken["error"] ?? "none").toMatch(/^(?:none|message_not_found)$/u);
});

test("views need no scope", async () => {
  const poor = await startSmallWorld({ app: { ...app, scopes: ["commands"] } });
  const trigger_id = await trigger(poor);
  const opened = await poor.call("views.open", { trigger_id, view: modal() });
  const { id } = opened["view"] as { id: string }; // the answer has the view beside ok
  const updated = await poor.call("views.update", { view_id: id, view: modal() });
  await poor.stop();

  expect([opened["ok"], updated["ok"]]).toEqual([true, true]);
});

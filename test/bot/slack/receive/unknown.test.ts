import { expect, test } from "vitest";
import { deliver, form } from "../../../support/deliver.ts";
import { oneService } from "../../../support/one-service.ts";
import { newest, world } from "../../../support/world.ts";

test("a command by another name is answered, not left to time out", async () => {
  await using town = await world({ apiFetch: oneService });

  const answer = await deliver(town, { body: form({ command: "/other", text: "list" }) });

  expect(answer.text).toContain("I answer to /gantry");
});

const interaction = {
  team: { id: "T0GANTRY" },
  user: { id: "U0DANA" },
  channel: { id: "C0OPS" },
  trigger_id: "1.2",
};

test.each([
  ["an unknown view submission", { type: "view_submission", view: { callback_id: "old" } }, /response_action.*update/u],
  [
    "a form of a verb that is gone",
    { type: "view_submission", view: { callback_id: "form:frobnicate", private_metadata: '{"verb":"frobnicate"}' } },
    /This form is from another version/u,
  ],
  [
    "a form of another version",
    { type: "view_submission", view: { callback_id: "form:scale", private_metadata: "{" } },
    /This form is from another version/u,
  ],
  [
    "a click in a form of another version",
    { type: "block_actions", view: { type: "modal" }, actions: [{ action_id: "form:more" }] },
    /^$/u,
  ],
  ["a closed view", { type: "view_closed", view: {} }, /^$/u],
  ["options of an unknown menu", { type: "block_suggestion", action_id: "x", value: "w" }, /^\{"options":\[\]\}$/u],
  ["an unknown global shortcut", { type: "shortcut", callback_id: "x" }, /^$/u],
  ["an unknown message shortcut", { type: "message_action", callback_id: "x" }, /^$/u],
  ["an unknown button", { type: "block_actions", actions: [{ action_id: "old:1", value: "{}" }] }, /^$/u],
  ["a button of long ago", { type: "interactive_message", actions: [{ name: "x", type: "button" }] }, /^$/u],
])("%s is acked at once", async (_, payload, ackText) => {
  await using town = await world({ apiFetch: oneService });

  const answer = await deliver(town, { body: form({ payload: JSON.stringify({ ...interaction, ...payload }) }) });
  await town.settled();

  expect(answer.status).toBe(200);
  expect(answer.text).toMatch(ackText);
});

test.each([
  ["a shortcut", { type: "message_action", callback_id: "x" }, "I don't know this shortcut"],
  ["a button", { type: "block_actions", actions: [{ action_id: "old:1" }] }, "This button is from another version"],
  [
    "a button whose value is no Ask",
    { type: "block_actions", actions: [{ action_id: "ask:0", value: "{" }] },
    "This button is from another version",
  ],
  [
    "a button of a verb that is gone",
    {
      type: "block_actions",
      actions: [{ action_id: "ask:0", value: '{"verb":"frobnicate","share":false,"args":{}}' }],
    },
    "This button is from another version",
  ],
  [
    "a button that opens a form of another version",
    { type: "block_actions", actions: [{ action_id: "form:open:frobnicate", value: '{"verb":"frobnicate"}' }] },
    "This button is from another version",
  ],
  [
    "the line of a menu that says why it has no options",
    { type: "block_actions", actions: [{ action_id: "pick:any", selected_option: { value: "!none" } }] },
    "Nothing was chosen",
  ],
  [
    "a button that would write",
    {
      type: "block_actions",
      actions: [{ action_id: "ask:0", value: '{"verb":"restart","share":false,"args":{"name":"web"}}' }],
    },
    "This button can't change anything",
  ],
])("what nobody knows any more is told: %s", async (_, payload, words) => {
  await using town = await world({ apiFetch: oneService });

  await deliver(town, { body: form({ payload: JSON.stringify({ ...interaction, ...payload }) }) });
  await town.settled();

  expect(newest(town.developer)).toContain(words);
  expect(town.calls()).toEqual([]);
});

test("an event that nobody subscribed to is acked", async () => {
  await using town = await world({ apiFetch: oneService });
  const event = {
    type: "event_callback",
    event_id: "Ev1",
    team_id: "T0GANTRY",
    event: { type: "team_join", user: {} },
  };

  const answer = await deliver(town, { body: JSON.stringify(event), type: "application/json" });

  expect(answer.status).toBe(200);
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { pendingChange, event, terms } from "../../bot/store/contract/bench.ts";
import { approvalTown } from "../../support/approval-town.ts";
import { says } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

let town: World;
beforeAll(async () => {
  town = await approvalTown();
});
afterAll(async () => town.close());

test.each([
  ["approve", "AAA111"],
  ["reject", "AAA222"],
  ["cancel", "AAA333"],
])("nobody can %s a change of another workspace, or learns of it", async (verb, id) => {
  const { approver } = town;
  const isCancel = verb === "cancel";
  await town.store().insertChange(
    pendingChange(id, {
      teamId: "T0OTHER",
      channelId: approver.channelId("ops"),
      requester: { userId: isCancel ? approver.id : "U9", name: "Ann Lee" },
      terms: { ...terms, votes: 2, from: { users: [approver.id], groups: [], channelMembers: true } },
    }),
    event("requested", { teamId: "T0OTHER" }),
  );

  // A bot of one workspace posts the card of any request in its database.
  await town.settled();
  const told = await says(town, approver, `/gantry ${verb} ${id}`);

  expect(told).toContain(`no request ${id}`);
  expect(told).not.toMatch(/Ann Lee|web-AAA/u);
  expect(await town.store().find({ id })).toMatchObject({ state: "pending", votes: [] });
});

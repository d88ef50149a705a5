import { expect, test } from "vitest";
import { pendingChange, event, terms } from "../../bot/store/contract/bench.ts";
import { approvalTown } from "../../support/approval-town.ts";
import { says } from "../../support/speak.ts";

test.each(["approve", "reject", "cancel"])(
  "nobody can %s a change of another workspace, or learns of it",
  async (verb) => {
    await using town = await approvalTown();
    const { approver } = town;
    const isCancel = verb === "cancel";
    await town.store().insertChange(
      pendingChange("AAA111", {
        teamId: "T0OTHER",
        channelId: approver.channelId("ops"),
        requester: { userId: isCancel ? approver.id : "U9", name: "Ann Lee" },
        terms: { ...terms, votes: 2, from: { users: [approver.id], groups: [], channelMembers: true } },
      }),
      event("requested", { teamId: "T0OTHER" }),
    );

    const told = await says(town, approver, `/gantry ${verb} AAA111`);

    expect(told).toMatch(/no request AAA111/u);
    expect(told).not.toMatch(/Ann Lee|web-AAA111/u);
    expect(await town.store().find({ id: "AAA111" })).toMatchObject({ state: "pending", votes: [] });
  },
);

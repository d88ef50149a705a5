import { expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { awayStore } from "../../support/away-store.ts";
import { happened } from "../../support/channel-town.ts";
import { says } from "../../support/speak.ts";

test("a look that policy refuses stands in history", async () => {
  await using town = await approvalTown();

  await says(town, town.guest, "/gantry show web");
  await says(town, town.guest, "/gantry list services");

  expect(await happened(town)).toEqual([
    expect.stringMatching(/^refused Gwen Moss: .*list services/u),
    expect.stringMatching(/^refused Gwen Moss: .*look at/u),
  ]);
});

test("and so does one that a locked channel refuses", async () => {
  await using town = await approvalTown();
  await says(town, town.developer, '/gantry use --names "shop-*" --lock');

  await says(town, town.approver, "/gantry show web");

  expect((await happened(town))[0]).toMatch(/^refused Alex Kim: .*locked this channel to the names shop-\*/u);
});

test("a look that was refused is told although history cannot be written", async () => {
  const database = awayStore();
  await using town = await approvalTown({ store: database.wrap });
  await says(town, town.guest, "/gantry show web");

  database.leave();

  expect(await says(town, town.guest, "/gantry show web")).toMatch(/no policy rule allows it for guests/u);
});

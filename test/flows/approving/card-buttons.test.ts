import { expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { card, clicks, says, whispers } from "../../support/speak.ts";

test("the menu of a waiting card shows the workload to who clicks, and the card stays", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");
  const waiting = card(developer);

  const shown = await clicks(town, approver, "Show web");

  expect(whispers(approver)).toEqual([shown]);
  expect(shown).toMatch(/web/u);
  expect(card(developer)).toBe(waiting);
});

test("the buttons of a card that is done show the workload, and the card stays", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");
  await clicks(town, approver, "Approve");
  const done = card(developer);

  expect(await clicks(town, developer, "Show web")).toMatch(/web/u);

  expect(whispers(developer)).toHaveLength(1);
  expect(card(developer)).toBe(done);
});

test("who tries to approve their own request cancels it with the button of the answer", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await says(town, developer, "/gantry restart web");
  await clicks(town, developer, "Approve");
  expect(whispers(developer).at(-1)).toMatch(/You can't decide on your own request: restart web/u);

  await clicks(town, developer, "Cancel request");

  expect(card(developer)).toMatch(/^🚫 Cancelled: restart web\n/u);
});

test("who requests what already waits approves it with the button of the answer", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");
  expect(await says(town, approver, "/gantry restart web")).toMatch(/^⏳ Already waiting: Restart web\n/u);

  await clicks(town, approver, "Approve");

  expect(card(developer)).toMatch(/approved by Alex Kim/u);
  expect(card(developer)).not.toContain("[Approve]");
});

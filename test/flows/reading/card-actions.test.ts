import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { form, says, whispers } from "../../support/speak.ts";

const readOnly = `rules:
  - { name: all read, who: everyone, does: read, then: allow }
  - { name: alex changes, who: U0ALEX, does: anything, then: allow }
`;

test("a shared card is judged at the click", async () => {
  await using town = await approvalTown({ policy: readOnly });
  const { developer, approver } = town;
  await says(town, developer, "/gantry show web --share");

  await developer.clicks("Restart");
  await town.settled();
  expect(form(developer)).toMatch(/no policy rule allows it/u);
  await developer.closes();

  await approver.clicks("Restart");
  await town.settled();
  expect(form(approver)).toMatch(/Restart/u);
  await approver.submits();
  await town.settled();
  expect(count(town, "restartService")).toBe(1);
});

test("a card is refreshed where it stands", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await says(town, developer, "/gantry show web");
  const before = developer.sees("ops").length;
  await says(town, town.approver, "/gantry scale web 4");

  await developer.clicks("Refresh");
  await town.settled();

  expect(whispers(developer).filter((text) => text.includes("web · "))).toHaveLength(1);
  expect(whispers(developer).find((text) => text.includes("web · "))).toMatch(/4 instances/u);
  expect(developer.sees("ops").length).toBe(before + 1);
});

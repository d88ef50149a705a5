import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { card, clicks, says, whispers } from "../../support/speak.ts";

test("what waits is approved where it is read; the list stays, and the card shows who approved", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, '/gantry restart web --reason "it leaks"');

  expect(await says(town, approver, "/gantry pending")).toMatch(/Restart web.*it leaks.*\[Approve\] \[Reject\]/su);
  await clicks(town, approver, "Approve");

  expect(count(town, "restartService")).toBe(1);
  expect(card(developer)).toMatch(/Alex Kim|@alex/u);
  expect(whispers(approver).some((text) => text.includes("1 request waiting for approval"))).toBe(true);
  expect(await says(town, approver, "/gantry pending")).toContain("Nothing is waiting for approval.");
});

test("approving twice from the list runs the request once, and says so", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");
  await says(town, approver, "/gantry pending");

  const first = approver.clicks("Approve");
  const second = approver.clicks("Approve");
  await Promise.all([first, second]);
  await town.settled();

  expect(count(town, "restartService")).toBe(1);
});

test("a rejection from the list asks for the reason, and the card of the request ends with it", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");
  await says(town, approver, "/gantry pending");

  await clicks(town, approver, "Reject");
  await approver.submits({ reason: "not during the sale" });
  await town.settled();

  expect(card(developer)).toContain("not during the sale");
  expect(count(town, "restartService")).toBe(0);
});

test("my own request offers to cancel it, and nobody else's", async () => {
  await using town = await approvalTown();
  const { developer, guest } = town;
  await says(town, developer, "/gantry restart web");

  const own = await says(town, developer, "/gantry pending");
  expect(own).toMatch(/Needs 1 approval from another member of #ops · 0 of 1 · expires in \d+ min/u);
  expect(own).toContain("[Cancel]");
  expect(own).not.toContain("[Approve]");
  await clicks(town, developer, "Cancel");

  expect(card(developer)).toMatch(/cancelled/iu);
  expect(await says(town, guest, "/gantry pending")).not.toContain("Restart web");
});

test("a list that is shared in the channel is no card: a click on it leaves the list as it is", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");
  await says(town, approver, "/gantry pending --share");

  await clicks(town, approver, "Approve");

  expect(count(town, "restartService")).toBe(1);
  const lists = developer.sees("ops").filter(({ text }) => text.includes("1 request waiting for approval"));
  expect(lists.map(({ text }) => text)).toEqual([expect.stringContaining("[Approve] [Reject]")]);
});

import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { onCallDecides } from "../../support/policies.ts";
import { card, clicks, says, whispers } from "../../support/speak.ts";

test("a person without a known workspace is an outsider: no request, no approval", async () => {
  await using town = await approvalTown();
  const { developer, playground } = town;
  const robin = playground.people.addOutsider({
    name: "robin",
    realName: "Robin Vale",
    channel: "ops",
    isTeamHidden: true,
  });

  expect(await says(town, robin, "/gantry scale web 3")).toMatch(/organization/u);
  await says(town, developer, "/gantry restart web");
  await clicks(town, robin, "Approve");

  expect(whispers(robin).at(-1)).toMatch(/organi[sz]ation/u);
  expect(card(developer)).toMatch(/0 of 1/u);
  expect(count(town, "updateService") + count(town, "restartService")).toBe(0);
});

test("a request that only deactivated people could approve is refused immediately", async () => {
  await using town = await approvalTown({ policy: onCallDecides });
  const { developer, playground } = town;
  // Both stay in the user group: deactivating somebody does not take them out of it.
  playground.people.deactivate("alex");
  playground.people.deactivate("omar");

  const answer = await says(town, developer, "/gantry restart web");

  expect(answer).toMatch(/nobody can approve here/u);
  expect(card(developer)).toBe("");
  expect(await town.store().pendingChanges("T0PLAYGR")).toEqual([]);
});

test("a deactivated person can't approve, even while still in the user group", async () => {
  await using town = await approvalTown({ policy: onCallDecides });
  const { developer, approver, playground } = town;
  await says(town, developer, "/gantry restart web");
  // Slack signs them out a moment later; until then it still delivers their clicks.
  playground.people.deactivate("alex", { signsOut: false });
  town.passMinutes(1);

  await clicks(town, approver, "Approve");

  expect(whispers(approver).at(-1)).toMatch(/deactivated/u);
  expect(card(developer)).toMatch(/0 of 1/u);
  expect(count(town, "restartService")).toBe(0);

  await clicks(town, playground.as("omar"), "Approve");

  expect(count(town, "restartService")).toBe(1);
});

const bothOnCall = `
rules:
  - { name: look, who: [members], does: [read], then: allow }
  - name: both on call decide
    who: [members]
    does: [disruptive]
    then: { approve: { votes: 2, from: [S0ONCALL], expires: 30m } }
`;

test("deactivated people are not counted as possible approvers, and can-i does not name them", async () => {
  await using town = await approvalTown({ policy: bothOnCall });
  const { developer, playground } = town;
  playground.people.deactivate("omar");

  const mayI = await says(town, developer, "/gantry can-i restart web");
  const answer = await says(town, developer, "/gantry restart web");

  expect(mayI).toContain("Alex Kim");
  expect(mayI).not.toContain("Omar Haddad");
  expect(answer).toMatch(/only Alex Kim can approve here/u);
  expect(card(developer)).toBe("");
});

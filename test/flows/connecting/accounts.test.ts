import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { alexs, connects, connectsChannel, danas, teams, usedFor } from "../../support/linking.ts";
import { card, clicks, says, saysIn } from "../../support/speak.ts";

const users = [danas, alexs, teams];

test("after an approval it runs with the account of who asked, never with the approver's", async () => {
  await using town = await approvalTown({ users });
  const { developer, approver } = town;
  await connects(town, developer, danas);
  await connects(town, approver, alexs);

  await says(town, developer, "/gantry restart web");
  await clicks(town, approver, "Approve");

  expect(usedFor(town, "restartService")).toEqual(["dana-own"]);
  expect(usedFor(town, "getService").every((username) => username === "dana-own")).toBe(true);
});

test("where everybody acts with their own account, who has none is refused, and may approve all the same", async () => {
  await using town = await approvalTown({ users, accountMode: "own" });
  const { developer, approver } = town;

  expect(await says(town, developer, "/gantry list")).toMatch(/haven't connected an account.*connect/su);
  expect(await says(town, developer, "/gantry scale web 3")).toMatch(/haven't connected an account/u);
  expect(town.calls()).toEqual([]);

  await connects(town, developer, danas);
  await says(town, developer, "/gantry restart web");
  await clicks(town, approver, "Approve");
  expect(usedFor(town, "restartService")).toEqual(["dana-own"]);
});

test("a channel's account is for everybody there who has none of their own, and they are told", async () => {
  await using town = await approvalTown({ users });
  const { developer, approver } = town;
  await connects(town, approver, alexs);

  await connectsChannel(town, developer, teams);
  const told = approver.sees("ops").filter(({ isEphemeral }) => !isEphemeral);
  await says(town, developer, "/gantry scale web 3");
  await says(town, approver, "/gantry scale web 4");

  expect(told.at(-1)?.text).toContain("team-ops");
  expect(usedFor(town, "updateService")).toEqual(["team-ops", "alex-own"]);
  expect(await saysIn(town, { person: developer, channel: "general" }, "/gantry whoami")).toContain(
    "gantry, workspace account",
  );
});

test("an account that was unlinked between request and approval sends nothing, and the card says so", async () => {
  await using town = await approvalTown({ users });
  const { developer, approver } = town;
  await connects(town, developer, danas);
  await says(town, developer, "/gantry restart web");
  await says(town, developer, "/gantry disconnect");

  await clicks(town, approver, "Approve");

  expect(count(town, "restartService")).toBe(0);
  expect(card(developer)).toMatch(/dana-own.*disconnected/su);
  await expect(approver.clicks("Approve")).rejects.toThrow(/sees no button/u);
});

test("an account that was replaced by another one meanwhile is not taken instead", async () => {
  await using town = await approvalTown({ users });
  const { developer, approver } = town;
  await connects(town, developer, danas);
  await says(town, developer, "/gantry restart web");
  await connects(town, developer, alexs);

  await clicks(town, approver, "Approve");

  expect(count(town, "restartService")).toBe(0);
  expect(card(developer)).toMatch(/changed or disconnected/u);
});

test("a row that is copied to another user does not open, and no other account is taken instead", async () => {
  await using town = await approvalTown({ users });
  const { developer, approver } = town;
  await connects(town, developer, danas);
  await town.stopBot();
  const database = new DatabaseSync(join(town.dataDir, "gantry.sqlite"));
  database.exec(`insert into account (team_id, owner_kind, owner_id, username, sealed_token, linked_by, linked_at)
    select team_id, owner_kind, 'U0ALEX', username, sealed_token, linked_by, linked_at from account`);
  database.close();
  await town.restartBot();
  const before = town.sent().length;

  expect(await says(town, approver, "/gantry list")).toMatch(/Couldn't use your account \(dana-own\)/u);
  expect(await says(town, approver, "/gantry scale web 4")).toMatch(/Couldn't use your account/u);
  expect(town.sent().slice(before)).toEqual([]);

  await says(town, developer, "/gantry list");
  expect(
    town
      .sent()
      .slice(before)
      .every(({ username }) => username === "dana-own"),
  ).toBe(true);
});

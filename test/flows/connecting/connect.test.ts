import { expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { alexs, connects, danas, formOf, linkedCount, sends, teams, usedFor } from "../../support/linking.ts";
import { says, whispers } from "../../support/speak.ts";

const users = [danas, alexs, teams];

test("connect opens a form, and with a good token everything goes with the own account", async () => {
  await using town = await approvalTown({ users });
  const { developer } = town;

  await says(town, developer, "/gantry connect");
  expect(formOf(developer)).toContain("API token");

  expect(await sends(town, developer, danas)).toMatch(/Account connected.*dana-own/u);
  await developer.closes();
  expect(whispers(developer).at(-1)).toContain("dana-own");
  const whoami = await says(town, developer, "/gantry whoami");
  expect(whoami).toContain("dana-own, your own account");
  expect(whoami).not.toContain(danas.token);
  await says(town, developer, "/gantry scale web 3");
  expect(usedFor(town, "updateService")).toEqual(["dana-own"]);
  expect(await says(town, town.approver, "/gantry whoami")).toContain("gantry, workspace account");
});

test("a wrong token is told in the form, which keeps the user name, and nothing is stored", async () => {
  await using town = await approvalTown({ users });
  const { developer } = town;

  await says(town, developer, "/gantry connect");
  await sends(town, developer, { ...danas, token: alexs.token });

  expect(formOf(developer)).toMatch(/Nothing was connected/u);
  expect(formOf(developer)).toContain('"initial_value":"dana-own"');
  expect(formOf(developer)).not.toContain(alexs.token);
  expect(await linkedCount(town)).toBe(0);
  expect(await says(town, developer, "/gantry whoami")).toContain("gantry, workspace account");

  expect(await sends(town, developer, danas)).toMatch(/Account connected/u);
  expect(await linkedCount(town)).toBe(1);
});

test("a wrong token is told beside a form that Slack doesn't redraw", async () => {
  await using town = await approvalTown({ users });
  const { developer } = town;
  await says(town, developer, "/gantry connect");
  town.playground.faults.answer("views.update", { error: "view_too_large" });

  await sends(town, developer, { ...danas, token: alexs.token });

  expect(whispers(developer)).toEqual([
    expect.stringMatching(/rejected this user name or token.*Nothing was connected/u),
  ]);
  expect(await linkedCount(town)).toBe(0);
});

test("what cannot be a token is said at its field, before anything is asked", async () => {
  await using town = await approvalTown({ users });
  const { developer } = town;
  await says(town, developer, "/gantry connect");

  await developer.submits({ username: "dana-own", token: "two words" });
  await town.settled();

  expect(developer.modal()?.errors["token"]).toMatch(/spaces/u);
  expect(town.calls()).toEqual([]);
});

test("a service that does not answer links nothing, and the form says so", async () => {
  let isDown = true;
  await using town = await approvalTown({
    users,
    via: async (request, send) => (isDown ? Response.json({ message: "moving" }, { status: 403 }) : send(request)),
  });

  await says(town, town.developer, "/gantry connect");
  expect(await sends(town, town.developer, danas)).toMatch(/Nothing was connected/u);
  expect(await linkedCount(town)).toBe(0);

  isDown = false;
  expect(await sends(town, town.developer, danas)).toMatch(/Account connected/u);
});

test("a token typed after connect is refused, and is repeated nowhere", async () => {
  await using town = await approvalTown({ users });
  const before = town.playground.transcript().length;

  const delivery = await town.developer.says(`/gantry connect ${danas.token}`);
  await town.settled();

  expect(JSON.stringify(delivery.answer)).toMatch(/Revoke that token now/u);
  const fromBot = town.playground
    .transcript()
    .slice(before)
    .map(({ direction, request, answer }) => (direction === "to bot" ? answer : request));
  expect(JSON.stringify(fromBot)).not.toContain(danas.token);
  expect(town.logLines().join("\n")).not.toContain(danas.token);
  expect(town.developer.modal()).toBeUndefined();
  expect(await linkedCount(town)).toBe(0);
});

test("only full members link accounts: a guest's form says no, and nothing is tried or stored", async () => {
  await using town = await approvalTown({ users });
  const { guest } = town;

  expect(await connects(town, guest, danas)).toMatch(/Only full members/u);

  expect(town.calls()).toEqual([]);
  expect(await linkedCount(town)).toBe(0);
  expect(await says(town, guest, "/gantry disconnect channel")).toMatch(/Only full members/u);
});

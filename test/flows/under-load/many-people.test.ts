import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { card, clicks, idOf, says } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";
import { BEGINNING } from "../../support/test-clock.ts";
import { awayStore } from "../../support/away-store.ts";

/** Calls of Slack about people, by method. */
function lookups({ playground }: World): Readonly<Record<string, number>> {
  const kinds = playground
    .transcript()
    .filter(({ direction, kind }) => direction === "from bot" && kind.startsWith("users."))
    .map(({ kind }) => kind);
  return Object.fromEntries([...new Set(kinds)].map((kind) => [kind, kinds.filter((each) => each === kind).length]));
}

function addExternals({ playground }: World, most: number): void {
  for (let at = 0; at < most; at += 1) {
    playground.people.addOutsider({ name: `ext${at}`, realName: `External ${at}`, channel: "ops" });
  }
}

test("in a channel with 150 people of other organizations, people look, request and approve", async () => {
  await using town = await approvalTown();
  const { developer, approver, playground } = town;
  addExternals(town, 150);
  // The only one who can approve is the last that Slack lists.
  for (const name of ["alex", "omar"]) playground.people.remove("ops", name);
  playground.people.invite("ops", "alex");
  playground.faults.enforcesRateTiers = true;

  expect(await says(town, developer, "/gantry list")).toContain("web");
  await says(town, developer, "/gantry restart web");
  expect(card(approver)).toMatch(/0 of 1/u);
  await clicks(town, approver, "Approve");

  expect(count(town, "restartService")).toBe(1);
});

test("where Slack doesn't tell who could approve, the request waits for whoever can", async () => {
  await using town = await approvalTown();
  const { developer, approver, playground } = town;
  addExternals(town, 30);
  await says(town, developer, "/gantry version");
  await says(town, developer, "/gantry scale web 2");
  playground.faults.answer("users.info", "429", { retryAfterSeconds: 3_000 });
  playground.faults.answer("users.list", "429", { retryAfterSeconds: 3_000 });

  await says(town, developer, "/gantry restart web");
  expect(card(developer)).toMatch(/0 of 1/u);
  playground.faults.clear();
  town.passMinutes(11);
  await clicks(town, approver, "Approve");

  expect(count(town, "restartService")).toBe(1);
});

test("one can-i among many external people takes a few calls, and the next person is answered", async () => {
  await using town = await approvalTown();
  addExternals(town, 150);
  town.playground.faults.enforcesRateTiers = true;

  const told = await says(town, town.developer, "/gantry can-i restart web");
  const { "users.info": info = 0, "users.list": list = 0 } = lookups(town);

  expect(told).toContain("Yes, you can run restart web here with 1 approval.");
  expect(info).toBeLessThanOrEqual(12);
  expect(list).toBeLessThanOrEqual(3);
  expect(await says(town, town.playground.as("omar"), "/gantry list")).toContain("web");
});

test("a profile is read once for a day, also after a restart, and who acts is read again", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await says(town, developer, "/gantry list");
  const first = lookups(town);

  town.passMinutes(10 * 60);
  await says(town, developer, "/gantry list");
  await town.restartBot();
  await says(town, developer, "/gantry list");
  expect(lookups(town)).toEqual(first);

  await says(town, developer, "/gantry scale web 3");
  expect(lookups(town)["users.info"]).toBe((first["users.info"] ?? 0) + 1);
});

test("who becomes a guest is one at once, without another question to Slack", async () => {
  await using town = await approvalTown();
  const { approver, playground } = town;
  expect(await says(town, approver, "/gantry list")).toContain("web");
  playground.faults.answer("users.info", "500");

  playground.people.setGuest("alex", true);

  // Slack tells it by an event, which arrives a moment later.
  await town.until(async () => !(await says(town, approver, "/gantry list")).includes("web"));
});

test("after /invite the same request works, and after somebody joined they approve", async () => {
  await using town = await approvalTown();
  const { developer, approver, playground } = town;
  playground.people.remove("ops", "gantry");
  expect(await says(town, developer, "/gantry restart web")).toMatch(/Invite me with/u);

  playground.people.invite("ops", "gantry");
  await says(town, developer, "/gantry restart web");
  const id = idOf(card(developer));
  playground.people.remove("ops", "alex");
  await approver.says(`/gantry approve ${id}`, { channel: "general" });
  await town.settled();
  expect(count(town, "restartService")).toBe(0);

  playground.people.invite("ops", "alex");
  await clicks(town, approver, "Approve");
  expect(count(town, "restartService")).toBe(1);
});

const onCallOrHere = `rules:
  - { name: look, who: [members], does: [read], then: allow }
  - name: someone on call or in this channel
    who: [members]
    does: [routine, disruptive, destructive]
    then: { approve: { from: [S0ONCALL, channel-members], expires: 30m } }
`;

test("who may approve as a member of the channel does, while Slack doesn't tell who is on call", async () => {
  await using town = await approvalTown({ policy: onCallOrHere });
  const { developer, approver, playground } = town;
  playground.people.leaveGroup("oncall", "alex");
  playground.faults.answer("usergroups.users.list", "500");
  playground.faults.answer("usergroups.list", "500");

  await says(town, developer, "/gantry restart web");
  await clicks(town, approver, "Approve");

  expect(count(town, "restartService")).toBe(1);
});

const onCall = onCallOrHere.replace(", channel-members", "");

test("who has just joined the group of approvers approves", async () => {
  await using town = await approvalTown({ policy: onCall });
  const { developer, playground } = town;
  const kim = playground.people.addPerson("kim", ["ops"]);
  await says(town, developer, "/gantry restart web");
  await clicks(town, kim, "Approve");
  expect(count(town, "restartService")).toBe(0);

  playground.people.joinGroup("oncall", "kim");
  await clicks(town, kim, "Approve");

  expect(count(town, "restartService")).toBe(1);
});

const ofToday = { teamId: "T0PLAYGR", username: "gantry", day: BEGINNING.toISOString().slice(0, 10) };

test("the calls since the last sweep are counted before the bot ends", async () => {
  await using town = await approvalTown();
  await says(town, town.developer, "/gantry list");
  const before = await town.store().callsOn(ofToday);

  await town.restartBot();

  expect(before).toBe(0);
  expect(await town.store().callsOn(ofToday)).toBe(town.calls().length);
});

test("a database that is away does not keep the bot from ending", async () => {
  const database = awayStore();
  await using town = await approvalTown({ store: database.wrap });
  await says(town, town.developer, "/gantry list");
  database.leave();

  await town.stopBot();

  expect(town.logged().some(({ msg }) => msg === "couldn't count the last calls")).toBe(true);
});

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { defaultPolicyText } from "../../../src/bot/policy/read-policy.ts";
import { approvalTown, count } from "../../support/approval-town.ts";
import { happened } from "../../support/channel-town.ts";
import { form, says, saysIn, card, clicks } from "../../support/speak.ts";
import type { Person, World } from "../../support/world.ts";
import { quorum } from "../../support/policies.ts";

/** Matches names, states and counts of workloads. */
const telling = /Did you mean|already|2 instances|instances 2|is a job|now has|\bRunning\b/u;

let town: World;
beforeAll(async () => void (town = await approvalTown()));
beforeEach(() => town.setPolicy(defaultPolicyText));
afterAll(() => town.close());

/** What is new in history and how often the workload API was called, after somebody tried something. */
async function tried(doing: () => Promise<unknown>) {
  const calls = town.calls().length;
  const rows = (await happened(town)).length;
  await doing();
  await town.settled();
  const events = await happened(town);
  return { calls: town.calls().length - calls, events: events.slice(0, events.length - rows) };
}

/** What history has of an attempt of somebody. */
function refusedTo(name: string): unknown {
  return expect.stringMatching(`^refused ${name}: `);
}

/** Types a change in #ops, and reads nothing but its refusal. */
async function typesInVain(person: Person): Promise<void> {
  const told = await says(town, person, "/gantry scale wev 2");
  expect(told).toMatch(/🚫/u);
  expect(told).not.toMatch(telling);
}

/** Opens a form, which shows the refusal at once. */
async function opensInVain(person: Person): Promise<void> {
  await says(town, person, "/gantry scale web");
  expect(form(person)).toMatch(/🚫/u);
  expect(form(person)).not.toMatch(telling);
  await person.closes();
}

// Every verb, and every standing, is tried in `refused-people.test.ts`. Here it is every way to ask.

test("a guest learns nothing from whichever way they ask for a change, and each attempt is in history", async () => {
  const { guest, developer } = town;
  await says(town, developer, "/gantry show web --share");
  const before = { ops: guest.sees("ops").length, direct: guest.sees("@gantry").length };

  const { calls, events } = await tried(async () => {
    await guest.says("@gantry scale wev 2", { channel: "ops" });
    await town.settled();
    await saysIn(town, { person: guest, channel: "@gantry" }, "restart web");
    const seen = [...guest.sees("ops").slice(before.ops + 1), ...guest.sees("@gantry").slice(before.direct)];
    const texts = seen.map(({ text }) => text).join("\n");
    expect(texts).toMatch(/🚫/u);
    expect(texts).not.toMatch(telling);

    await typesInVain(guest);
    await opensInVain(guest);
    // It is still open where this is asked, so that it is refused once it was sent.
    await guest.uses("create_workload");
    await town.settled();
    const channel = guest.channelId("ops");
    await guest.submits({ kind: "service", name: "web", image: "test/web", memory: "512", channel });
    await town.settled();
    expect(form(guest)).toMatch(/🚫/u);
    expect(form(guest)).not.toMatch(/already|would create/u);
    await guest.closes();

    await guest.clicks("Restart");
    await town.settled();
    expect(form(guest)).toMatch(/🚫/u);
    expect(form(guest)).not.toMatch(/2 instances/u);
    await guest.closes();
  });

  expect(calls).toBe(0);
  expect(events).toEqual(Array(6).fill(refusedTo("Gwen Moss")));
});

test("nor does somebody of another organization, or somebody who was deactivated a moment ago", async () => {
  const { people } = town.playground;
  const robin = people.addOutsider({ name: "robin", realName: "Robin Vale", channel: "ops" });
  people.deactivate("omar", { signsOut: false });

  for (const [person, name] of [
    [robin, "Robin Vale"],
    [town.playground.as("omar"), "Omar Haddad"],
  ] as const) {
    const { calls, events } = await tried(async () => {
      await typesInVain(person);
      await opensInVain(person);
    });
    expect(calls).toBe(0);
    expect(events).toEqual([refusedTo(name), refusedTo(name)]);
  }
});

const onlyAdding = `
rules:
  - { name: look, who: members, does: read, then: allow }
  - { name: more is fine, who: members, does: routine, then: allow }
  - { name: nothing is lost, who: members, does: destructive, then: refuse, say: Nothing is taken away here. }
`;

test("a preview that policy refuses shows why, and no diff; the attempt is in history", async () => {
  town.setPolicy(onlyAdding);
  const { developer } = town;
  await says(town, developer, "/gantry domains web add shop.example.com");
  await says(town, developer, "/gantry domains web");
  await developer.submits({ domains: "" });
  await town.settled();

  expect(form(developer)).toMatch(/Nothing is taken away here/u);
  expect(form(developer)).not.toMatch(/domain shop\.example\.com/u);
  expect((await happened(town))[0]).toMatch(/^refused Dana Reyes: .*Nothing is taken away/u);
});

test("what failed, and what a bug took, has a reference that is shown and stands in the log", async () => {
  let isBroken = false;
  await using town = await approvalTown({
    via: async (request, send) =>
      request.method === "PUT" ? Response.json({ message: "no room" }, { status: 400 }) : send(request),
    store: (real) => ({
      ...real,
      insertChange: (...args) =>
        isBroken ? Promise.reject(new Error("a bug for the test")) : real.insertChange(...args),
    }),
  });
  const { developer } = town;

  await says(town, developer, "/gantry scale web 3");
  isBroken = true;
  const told = await says(town, developer, "/gantry scale web 4");

  const [bug, failed] = await town.store().history({ teamId: "T0PLAYGR", limit: 2 });
  expect(failed).toMatchObject({ kind: "failed", verb: "scale" });
  expect(bug).toMatchObject({ kind: "failed", verb: "scale", changeId: undefined, who: { name: "Dana Reyes" } });
  expect(told).toContain(bug?.reference);
  const shown = await says(town, developer, "/gantry history");
  const log = town.logLines().join("");
  for (const { reference = "none" } of [bug, failed].filter((row) => row !== undefined)) {
    expect(reference).toMatch(/^[0-9a-f]{8}$/u);
    expect(shown).toContain(`Reference ${reference}`);
    expect(log).toContain(reference);
  }
  expect(town.logged().find(({ reference }) => reference === bug?.reference)).toMatchObject({ level: 50 });
});

const withReason = quorum.replace("votes: 2", "votes: 1, reason: required");

test("when policy requires a reason, a request without one is refused, and one with a reason runs after approval", async () => {
  await using town = await approvalTown({ policy: withReason });
  const { developer, approver } = town;
  const sends = async (person: Person, values: Parameters<Person["submits"]>[0] = {}): Promise<string> => {
    await person.submits(values);
    await town.settled();
    return form(person);
  };
  const before = { card: card(developer), pending: await says(town, approver, "/gantry pending") };

  const refused = await says(town, developer, "/gantry scale web 4");

  expect(refused).toMatch(/needs a reason/u);
  expect(refused).toContain("--reason");
  expect(card(developer)).toBe(before.card);
  expect(await says(town, approver, "/gantry pending")).toBe(before.pending);

  await says(town, developer, '/gantry scale web 4 --reason "the sale begins"');
  expect(card(developer)).toContain("the sale begins");
  await clicks(town, approver, "Approve");
  expect(count(town, "updateService")).toBe(1);
  expect((await town.service("web")).target_instance_size).toBe(4);

  // Slack doesn't take a form without it.
  await says(town, developer, "/gantry domains web");
  expect(await sends(developer, { domains: "shop.example.com" })).not.toMatch(/Request approval/u);
  expect(await sends(developer, { reason: "the shop opens" })).toMatch(/Request approval/u);
  expect(await sends(developer)).toMatch(/Sent for approval/u);
  expect(card(developer)).toContain("the shop opens");
  await developer.closes();

  // Opened outside of a channel, the form doesn't know yet what policy asks there: its preview does.
  await developer.uses("create_workload");
  await town.settled();
  const job = { kind: "job", name: "tidy", image: "test/batch", channel: developer.channelId("ops") };
  expect(await sends(developer, job)).toMatch(/Approvers need a reason[\s\S]*Request approval/u);
});

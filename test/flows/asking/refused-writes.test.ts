import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { happened } from "../../support/channel-town.ts";
import { form, says, saysIn } from "../../support/speak.ts";
import type { Person, World } from "../../support/world.ts";

/** Matches names, states and counts of workloads. */
const telling = /Did you mean|already|2 instances|instances 2|is a job|now has|\bRunning\b/u;

/** A person without any rights, and their name in history. */
const nobodies: readonly (readonly [string, string, (town: World) => Person])[] = [
  ["a guest", "Gwen Moss", ({ guest }) => guest],
  [
    "somebody of another organization",
    "Robin Vale",
    ({ playground }) => playground.people.addOutsider({ name: "robin", realName: "Robin Vale", channel: "ops" }),
  ],
  [
    "somebody who was deactivated a moment ago",
    "Omar Haddad",
    ({ playground }) => {
      playground.people.deactivate("omar", { signsOut: false });
      return playground.as("omar");
    },
  ],
];

let town: World;
beforeAll(async () => void (town = await approvalTown()));
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

/** Every verb is tried in `refused-people.test.ts`. Here it is every way to ask. */
describe.each(nobodies)("%s", (_who, name, find) => {
  let person: Person;
  beforeAll(() => void (person = find(town)));
  const refused = expect.stringMatching(`^refused ${name}: `) as unknown; // a matcher of vitest

  test("learns nothing from a typed change, and the attempt is in history", async () => {
    const { calls, events } = await tried(async () => {
      const told = await says(town, person, "/gantry scale wev 2");
      expect(told).toMatch(/🚫/u);
      expect(told).not.toMatch(telling);
    });

    expect(calls).toBe(0);
    expect(events).toEqual([refused]);
  });

  test("learns nothing from a mention or a direct message", async () => {
    const before = { ops: person.sees("ops").length, direct: person.sees("@gantry").length };

    const { calls, events } = await tried(async () => {
      await person.says("@gantry scale wev 2", { channel: "ops" });
      await town.settled();
      await saysIn(town, { person, channel: "@gantry" }, "restart web");
    });

    expect(calls).toBe(0);
    const seen = [...person.sees("ops").slice(before.ops + 1), ...person.sees("@gantry").slice(before.direct)];
    const texts = seen.map(({ text }) => text).join("\n");
    expect(texts).toMatch(/🚫/u);
    expect(texts).not.toMatch(telling);
    expect(events).toEqual([refused, refused]);
  });

  test("learns nothing from forms, which show the refusal as soon as they open", async () => {
    const { calls, events } = await tried(async () => {
      await says(town, person, "/gantry scale web");
      expect(form(person)).toMatch(/🚫/u);
      expect(form(person)).not.toMatch(telling);
      await person.dismisses();
      // It is still open where this is asked, so that it is refused once it was sent.
      await person.uses("create_workload");
      await town.settled();
      await person.submits({ kind: "service", name: "web", image: "test/web", memory: "512" });
      await town.settled();
      expect(form(person)).toMatch(/🚫/u);
      expect(form(person)).not.toMatch(/already|would create/u);
      await person.dismisses();
    });

    expect(calls).toBe(0);
    expect(events).toEqual([refused, refused]);
  });

  test("learns nothing from a button on a shared card", async () => {
    await says(town, town.developer, "/gantry show web --share");

    const { calls, events } = await tried(async () => {
      await person.clicks("Restart");
      await town.settled();
      expect(form(person)).toMatch(/🚫/u);
      expect(form(person)).not.toMatch(/2 instances/u);
      await person.dismisses();
    });

    expect(calls).toBe(0);
    expect(events).toEqual([refused]);
  });
});

const onlyAdding = `
rules:
  - { name: look, who: members, does: read, then: allow }
  - { name: more is fine, who: members, does: routine, then: allow }
  - { name: nothing is lost, who: members, does: destructive, then: refuse, say: Nothing is taken away here. }
`;

test("a preview that policy refuses shows why, and no diff; the attempt is in history", async () => {
  await using adding = await approvalTown({ policy: onlyAdding });
  const { developer } = adding;
  await says(adding, developer, "/gantry domains web add shop.example.com");
  await says(adding, developer, "/gantry domains web");
  await developer.submits({ domains: "" });
  await adding.settled();

  expect(form(developer)).toMatch(/Nothing is taken away here/u);
  expect(form(developer)).not.toMatch(/domain shop\.example\.com/u);
  expect((await happened(adding))[0]).toMatch(/^refused Dana Reyes: .*Nothing is taken away/u);
});

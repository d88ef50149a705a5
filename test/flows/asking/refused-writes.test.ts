import { describe, expect, test } from "vitest";
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

async function apiCallsOf(town: World, doing: () => Promise<unknown>): Promise<number> {
  const before = town.calls().length;
  await doing();
  await town.settled();
  return town.calls().length - before;
}

const writes = [
  "scale wev 2",
  "scale web 2",
  "scale job/web 2",
  "create service web --image test/web",
  "create job nightly --image test/batch",
  "memory web 512",
  "domains web add shop.example.com",
  "start web",
  "restart wbe",
  "delete wev",
  'restart web --break-glass --reason "now"',
];

describe.each(nobodies)("%s", (_who, name, find) => {
  test("learns nothing from a typed change, and each attempt is in history", async () => {
    await using town = await approvalTown();
    const person = find(town);

    for (const words of writes) {
      const calls = await apiCallsOf(town, async () => {
        expect(await says(town, person, `/gantry ${words}`), words).not.toMatch(telling);
      });
      expect(calls, words).toBe(0);
    }

    expect(await happened(town)).toEqual(writes.map(() => expect.stringMatching(`^refused ${name}: `)));
  });

  test("learns nothing from a mention or a direct message", async () => {
    await using town = await approvalTown();
    const person = find(town);
    const before = person.sees("ops").length;

    const calls = await apiCallsOf(town, async () => {
      await person.says("@gantry scale wev 2", { channel: "ops" });
      await town.settled();
      await saysIn(town, { person, channel: "@gantry" }, "restart web");
    });

    expect(calls).toBe(0);
    const seen = [...person.sees("ops").slice(before + 1), ...person.sees("@gantry")].map(({ text }) => text);
    expect(seen.join("\n")).toMatch(/🚫/u);
    expect(seen.join("\n")).not.toMatch(telling);
    expect(await happened(town)).toHaveLength(2);
  });

  test("learns nothing from forms, which show the refusal as soon as they open", async () => {
    await using town = await approvalTown();
    const person = find(town);

    const calls = await apiCallsOf(town, async () => {
      for (const words of ["scale web", "create service web", "delete", "domains web"]) {
        await says(town, person, `/gantry ${words}`);
        expect(form(person), words).toMatch(/🚫/u);
        expect(form(person), words).not.toMatch(telling);
        await person.dismisses();
      }
      // It is still open where this is asked, so that it is refused once it was sent.
      await person.uses("create_workload");
      await town.settled();
      await person.submits({ kind: "service", name: "web", image: "test/web", memory: "512" });
      await town.settled();
      expect(form(person)).toMatch(/🚫/u);
      expect(form(person)).not.toMatch(/already|would create/u);
    });

    expect(calls).toBe(0);
    expect(await happened(town)).toHaveLength(5);
  });

  test("learns nothing from a button on a shared card", async () => {
    await using town = await approvalTown();
    const person = find(town);
    await says(town, town.developer, "/gantry show web --share");

    for (const button of ["Restart", "Scale"]) {
      const calls = await apiCallsOf(town, () => person.clicks(button));
      expect(calls, button).toBe(0);
      expect(form(person)).toMatch(/🚫/u);
      expect(form(person)).not.toMatch(/2 instances/u);
      await person.dismisses();
    }

    expect(await happened(town)).toHaveLength(2);
  });

  test("learns nothing by can-i", async () => {
    await using town = await approvalTown();
    const person = find(town);

    const calls = await apiCallsOf(town, async () => {
      for (const words of writes) {
        const told = await says(town, person, `/gantry can-i ${words}`);
        expect(told, words).not.toMatch(/Did you mean|already|would change now|2 instances/u);
        expect(told, words).toMatch(/🚫/u);
      }
    });

    expect(calls).toBe(0);
  });
});

const onlyMore = `
rules:
  - { name: look, who: members, does: read, then: allow }
  - { name: more is fine, who: members, does: routine, then: allow }
`;

test("a refusal after the read shows no diff and no state", async () => {
  await using town = await approvalTown({ policy: onlyMore });
  const { developer } = town;

  const words = await says(town, developer, "/gantry scale web 2");
  const asked = await says(town, developer, "/gantry can-i scale web 1");

  expect(words).toMatch(/no policy rule allows it/u);
  expect(words).not.toMatch(/already/u);
  expect(asked).toMatch(/🚫 No\./u);
  expect(asked).not.toMatch(/instances 2/u);
  expect(await happened(town)).toEqual([expect.stringMatching(/^refused Dana Reyes/u)]);
});

const onlyAdding = `
rules:
  - { name: look, who: members, does: read, then: allow }
  - { name: more is fine, who: members, does: routine, then: allow }
  - { name: nothing is lost, who: members, does: destructive, then: refuse, say: Nothing is taken away here. }
`;

test("a preview that policy refuses shows why, and no diff; the attempt is in history", async () => {
  await using town = await approvalTown({ policy: onlyAdding });
  const { developer } = town;
  await says(town, developer, "/gantry domains web add shop.example.com");
  await says(town, developer, "/gantry domains web");
  await developer.submits({ domains: "" });
  await town.settled();

  expect(form(developer)).toMatch(/Nothing is taken away here/u);
  expect(form(developer)).not.toMatch(/domain shop\.example\.com/u);
  expect((await happened(town))[0]).toMatch(/^refused Dana Reyes: .*Nothing is taken away/u);
});

test("a person who may only break the glass still gets its form", async () => {
  await using town = await approvalTown({
    policy: `
rules:
  - { name: on call may break the glass, who: [S0ONCALL], does: [restartService], then: break-glass }
  - { name: look, who: members, does: read, then: allow }
`,
  });
  const { approver, developer } = town;

  await says(town, approver, "/gantry restart");
  expect(form(approver)).not.toMatch(/🚫/u);
  await says(town, developer, "/gantry restart");
  expect(form(developer)).toMatch(/🚫/u);
});

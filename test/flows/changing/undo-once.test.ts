import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { card, clicks, idOf, says, whispers } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

/** A town in which two people click Undo, and both clicks have passed every check before either is stored. */
async function townOfTwoClicks(): Promise<World> {
  const { promise: both, resolve } = Promise.withResolvers<void>();
  let waiting = 0;
  return approvalTown({
    store: (real) => ({
      ...real,
      async insertChange(change, event) {
        if (change.undoOf !== undefined) {
          waiting += 1;
          if (waiting === 2) resolve();
          await both;
        }
        return real.insertChange(change, event);
      },
    }),
  });
}

async function clickBoth(town: World): Promise<void> {
  await Promise.all([town.developer.clicks("Undo"), town.approver.clicks("Undo")]);
  await town.settled();
}

function idsOf(town: World): readonly string[] {
  return town.developer
    .sees("ops")
    .filter(({ isEphemeral, text }) => !isEphemeral && /· undoes /u.test(text))
    .map(({ text }) => idOf(text));
}

test("two people who click Undo at the same moment create one request, and the second is linked to it", async () => {
  await using town = await townOfTwoClicks();
  await says(town, town.developer, "/gantry scale web 4");

  await clickBoth(town);

  const [undo, ...others] = idsOf(town);
  expect(others).toEqual([]);
  const told = [town.developer, town.approver]
    .flatMap((person) => whispers(person))
    .filter((text) => /Undo/u.test(text));
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(new RegExp(`Undo already requested: .*${undo}`, "su"));
  expect(town.developer.sees("ops").some(({ text }) => text.includes("[Undo]"))).toBe(false);
  expect(await town.store().pendingChanges(await teamOf(town))).toHaveLength(1);
});

test("of two simultaneous Undos that need no approval, one runs", async () => {
  await using town = await townOfTwoClicks();
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web 1");
  await clicks(town, approver, "Approve");

  await clickBoth(town);

  const [undo, ...others] = idsOf(town);
  expect(others).toEqual([]);
  const told = [developer, approver].flatMap((person) => whispers(person)).filter((text) => /Undo already/u.test(text));
  expect(told).toHaveLength(1);
  expect(told[0]).toContain(undo);
  expect((await town.service("web")).target_instance_size).toBe(2);
  // The first one made it one instance, and one Undo made it two again.
  expect(count(town, "updateService")).toBe(2);
});

test("clicking Undo on an outdated card shows the earlier Undo, without a call", async () => {
  let isHeld = false;
  await using town = await approvalTown({
    // The first card keeps its button, as if Slack did not take the update.
    store: (real) => ({
      ...real,
      takeDue: (taking) => (isHeld && taking.kind === "post" ? Promise.resolve([]) : real.takeDue(taking)),
    }),
  });
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web 4");
  isHeld = true;
  await clicks(town, developer, "Undo");
  const [undo] = (await town.store().history({ teamId: await teamOf(town), limit: 1 })).map(({ changeId }) => changeId);
  const calls = town.calls().length;

  await clicks(town, approver, "Undo");

  expect(whispers(approver).at(-1)).toMatch(new RegExp(`Undo already requested: .*${undo}`, "su"));
  expect(whispers(approver).at(-1)).toMatch(/\[Approve\]/u);
  expect(town.calls()).toHaveLength(calls);
});

async function teamOf(town: World): Promise<string> {
  const id = idOf(card(town.developer));
  return (await town.store().find({ id }))?.teamId ?? "";
}

test("an Undo that was rejected never ran, so it can be asked for again", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web 4");
  await clicks(town, developer, "Undo");
  await says(town, approver, `/gantry reject ${idOf(card(developer))}`);

  await clicks(town, developer, "Undo");
  await clicks(town, approver, "Approve");

  expect((await town.service("web")).target_instance_size).toBe(2);
  expect(count(town, "updateService")).toBe(2);
});

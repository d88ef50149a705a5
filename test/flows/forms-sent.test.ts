import { expect, test } from "vitest";
import { approvalTown, count } from "../support/approval-town.ts";
import { form, says, whispers } from "../support/speak.ts";

/** A service that can be made to wait with all its answers. */
async function heldTown() {
  const gate = Promise.withResolvers<void>();
  let isHeld = false;
  const town = await approvalTown({
    policy: `rules:
  - { name: all, who: members, does: anything, then: allow }
`,
    via: async (request, send) => {
      if (isHeld) await gate.promise;
      return send(request);
    },
  });
  return {
    town,
    hold: () => void (isHeld = true),
    release: gate.resolve,
    async [Symbol.asyncDispose]() {
      gate.resolve();
      await town.close();
    },
  };
}

test("a form that is sent twice in a row asks once", async () => {
  await using held = await heldTown();
  const { town, hold, release } = held;
  const { developer } = town;
  await says(town, developer, "/gantry restart");
  await developer.selects("name", "web");
  await town.settled();
  hold();

  await developer.submits();
  await developer.submits();
  expect(form(developer)).toMatch(/Asking for it/u);
  release();
  await town.settled();

  expect(count(town, "restartService")).toBe(1);
  expect(form(developer)).toMatch(/Gantry is at it/u);
});

test("whoever closed the form before it was answered is told in the channel", async () => {
  await using held = await heldTown();
  const { town, hold, release } = held;
  const { developer } = town;
  await says(town, developer, "/gantry scale");
  await developer.selects("name", "web");
  await town.settled();
  hold();

  await developer.submits({ size: "2" });
  await developer.dismisses();
  release();
  await town.settled();

  expect(whispers(developer).at(-1)).toMatch(/already|2 instances/u);
});

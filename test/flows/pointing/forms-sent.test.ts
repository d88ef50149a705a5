import { expect, test } from "vitest";
import { count } from "../../support/approval-town.ts";
import { gatedTown } from "../../support/gated-town.ts";
import { form, says, whispers } from "../../support/speak.ts";

const policy = `rules:
  - { name: all, who: members, does: anything, then: allow }
`;

test("a form that is sent twice in a row asks once", async () => {
  await using gated = await gatedTown({ policy });
  const { town, hold, release } = gated;
  const { developer } = town;
  await says(town, developer, "/gantry restart");
  await developer.selects("name", "web");
  await town.settled();
  hold();

  await developer.submits();
  await developer.submits();
  expect(form(developer)).toMatch(/Sending the request/u);
  release();
  await town.settled();

  expect(count(town, "restartService")).toBe(1);
  expect(form(developer)).toMatch(/Started:/u);
});

test("whoever closed the form before it was answered is told in the channel", async () => {
  await using gated = await gatedTown({ policy });
  const { town, hold, release } = gated;
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

test("a service that breaks down after the form was sent leaves the form there, with the reason and what was typed", async () => {
  await using gated = await gatedTown({ policy });
  const { town, hold, release, breakDown } = gated;
  const { developer } = town;
  await says(town, developer, "/gantry scale web");
  hold();

  await developer.submits({ size: "7", reason: "the sale begins" });
  breakDown();
  await town.settled();

  expect(count(town, "updateService")).toBe(0);
  expect(form(developer)).toMatch(/❌[\s\S]*the sale begins/u);
  release();
  await developer.submits();
  await town.settled();
  expect((await town.service("web")).target_instance_size).toBe(7);
});

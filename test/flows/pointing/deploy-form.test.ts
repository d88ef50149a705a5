import { expect, test } from "vitest";
import { othersApprove } from "../../support/policies.ts";
import { rolloutTown } from "../../support/rollout-town.ts";
import { card, clicks, wrong, form, says } from "../../support/speak.ts";

const routineIsFree = `
rules:
  - { name: look, who: [members], does: [read, routine], then: allow }
  - { name: deploys, who: [members], does: [disruptive], then: { approve: { from: [channel-members], expires: 1h } } }
`;

/** A town whose web ran 1.4 first and runs 1.5 now, and whose worker runs 1.4. */
async function deployedTown(policy: string) {
  const town = await rolloutTown(["web", "worker"], { policy });
  town.othersDeploy("web", "shop/web:1.5");
  return town;
}

test("Deploy on a service's card opens its form, and a version that ran before is gone back to", async () => {
  await using town = await deployedTown(routineIsFree);
  const { developer } = town;
  await says(town, developer, "/gantry show web");
  await clicks(town, developer, "Deploy");
  expect(form(developer)).toMatch(/web\s+runs shop\/web:1\.5/u);

  await developer.selects("revision", "1.4");
  await developer.submits();
  await town.settled();

  expect(town.writes).toEqual(["web 1.4"]);
  expect(card(developer)).toMatch(/^🔄 Rolling back web to 1\.4…/u);
});

test("an image that is typed is deployed, and needs approval as in words", async () => {
  await using town = await deployedTown(othersApprove);
  const { developer } = town;
  await says(town, developer, "/gantry deploy web");

  await developer.submits({ image: "1.6" });
  await town.settled();

  expect(card(developer)).toMatch(/^⏳ Deploy 1\.6 to web\?/u);
});

test("both, or neither, is an error under the field, and nothing is asked for", async () => {
  await using town = await deployedTown(othersApprove);
  const { developer } = town;
  await says(town, developer, "/gantry deploy web");

  await developer.submits({});
  expect(wrong(developer)).toMatchObject({ image: "Name the image or its tag." });
  await developer.selects("revision", "1.4");
  await developer.submits({ image: "1.6" });
  expect(wrong(developer)).toMatchObject({ image: "Type an image or choose a version below, not both." });
  expect(town.writes).toEqual([]);
});

test("another service has versions of its own, and a chosen one is gone", async () => {
  await using town = await deployedTown(routineIsFree);
  const { developer } = town;
  await says(town, developer, "/gantry deploy web");
  await developer.selects("revision", "1.4");

  await developer.selects("name", "worker");
  await town.settled();
  expect(form(developer)).toMatch(/worker\s+runs shop\/worker:1\.4/u);
  await expect(developer.selects("revision", "1.4")).rejects.toThrow(/revision/u);
  await developer.submits({ image: "1.6" });
  await town.settled();

  expect(card(developer)).toMatch(/^⏳ Deploy 1\.6 to worker\?/u);
});

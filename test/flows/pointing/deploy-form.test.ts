import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type RolloutTown, rolloutTown } from "../../support/rollout-town.ts";
import { card, clicks, form, says } from "../../support/speak.ts";

const routineIsFree = `
rules:
  - { name: look, who: [members], does: [read, routine], then: allow }
  - { name: deploys, who: [members], does: [disruptive], then: { approve: { from: [channel-members], expires: 1h } } }
`;

let town: RolloutTown;
beforeAll(async () => {
  town = await rolloutTown(["web", "worker", "shop"], { policy: routineIsFree });
  for (const name of ["web", "shop"]) town.othersDeploy(name, `shop/${name}:1.5`);
});
afterEach(async () => {
  if (town.developer.modal() !== undefined) await town.developer.closes();
});
afterAll(() => town.close());

test("Deploy on a service's card opens its form, and a version that ran before is gone back to", async () => {
  const { developer } = town;
  await says(town, developer, "/gantry show web");
  await clicks(town, developer, "Deploy");
  expect(form(developer)).toMatch(/web\s+runs shop\/web:1\.5/u);

  await developer.selects("revision", ":1.4");
  await developer.submits();
  await town.settled();

  expect(town.writes).toEqual(["web 1.4"]);
  expect(card(developer)).toMatch(/^🔄 Rolling back web to :1\.4…/u);
});

test("another service has versions of its own, a chosen one is gone, and an image that is typed needs approval as in words", async () => {
  const { developer } = town;
  await says(town, developer, "/gantry deploy shop");
  await developer.selects("revision", ":1.4");

  await developer.selects("name", "worker");
  await town.settled();
  expect(form(developer)).toMatch(/worker\s+runs shop\/worker:1\.4/u);
  await expect(developer.selects("revision", ":1.4")).rejects.toThrow(/revision/u);
  await developer.submits({ image: "1.6" });
  await town.settled();

  expect(card(developer)).toMatch(/^⏳ Deploy :1\.6 to worker\?/u);
});

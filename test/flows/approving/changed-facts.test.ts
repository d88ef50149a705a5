import { expect, test } from "vitest";
import { count } from "../../support/approval-town.ts";
import { rolloutTown } from "../../support/rollout-town.ts";
import { card, clicks, says } from "../../support/speak.ts";

const rules = (more: string) => `
rules:
  - { name: look, who: members, does: read, then: allow }
${more}`;
const noMiners = rules(`
  - { name: no miners, who: everyone, does: [routine, disruptive], images: evil/*, then: refuse }
  - { name: all else, who: members, does: [routine, disruptive], then: { approve: {} } }`);

test.each([
  ["scale web 5", "updateService"],
  ["restart web", "restartService"],
  ["stop web", "stopService"],
  ["env web --set LEVEL=info", "updateService"],
] as const)("%s isn't sent where somebody deployed a forbidden image while it waited", async (words, op) => {
  await using town = await rolloutTown(["web"], { policy: noMiners });
  const { developer, approver } = town;
  await says(town, developer, `/gantry ${words}`);
  town.othersDeploy("web", "evil/miner:1");
  // Whoever sets a variable makes a revision of what runs by then; a restart and a new size don't depend on it.
  const isDrift = words.startsWith("env");

  await clicks(town, approver, "Approve");

  expect(count(town, op)).toBe(0);
  expect(card(developer)).toMatch(isDrift ? /changed/u : /❌.*may no longer do this.*“?no miners”? forbids it/su);
});

test("of several workloads, only the one whose image is forbidden by then stops", async () => {
  await using town = await rolloutTown(["web", "worker"], { policy: noMiners });
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web worker");
  town.othersDeploy("worker", "evil/miner:1");

  await clicks(town, approver, "Approve");

  expect(count(town, "restartService")).toBe(1);
  expect(card(developer)).toMatch(/worker.*no miners/su);
});

test("a workload that grew while its restart waited needs the approvals of its size, and runs with them", async () => {
  const policy = rules(`
  - { name: small ones, who: members, does: disruptive, limits: { instances: 4 }, then: { approve: { votes: 1 } } }
  - { name: large ones, who: members, does: disruptive, then: { approve: { votes: 2 } } }`);
  await using town = await rolloutTown(["web"], { policy });
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");
  town.nowIs("web", { target_instance_size: 40 });

  await clicks(town, approver, "Approve");

  expect(count(town, "restartService")).toBe(0);
  expect(card(developer)).toMatch(/⏳.*1 more approval is needed.*1 of 2/su);
  await clicks(town, town.playground.as("omar"), "Approve");
  expect(count(town, "restartService")).toBe(1);
});

test("a version that doesn't get ready goes back within the memory that an instance as a whole may use", async () => {
  const policy = rules(`
  - { name: small ones, who: members, does: [routine, disruptive], limits: { memory: 1Gi }, then: allow }`);
  await using town = await rolloutTown(["web"], { policy });
  town.nowIs("web", { instance_memory: "512" });
  await says(town, town.developer, "/gantry deploy web 1.5");
  town.isStuck("web", "no database");
  await town.later(4);
  await town.settled();

  expect(town.writes).toEqual(["web 1.5", "web 1.4"]);
});

test("a version that doesn't get ready doesn't go back to an image that policy refuses by then", async () => {
  await using town = await rolloutTown(["web"], { policy: noMiners.replace("{ approve: {} }", "allow") });
  await says(town, town.developer, "/gantry deploy web 1.5");
  town.setPolicy(noMiners.replace("{ approve: {} }", "allow").replace("evil/*", "shop/web:1.4"));
  town.isStuck("web", "no database");
  await town.later(4);
  await town.settled();

  expect(town.writes).toEqual(["web 1.5"]);
  expect(card(town.developer)).toMatch(/no miners/u);
});

import { expect, test } from "vitest";
import { defaultPolicyText } from "../../../src/bot/policy/read-policy.ts";
import { rolloutTown } from "../../support/rollout-town.ts";
import { card, clicks, form, says } from "../../support/speak.ts";

const builtIn = { policy: defaultPolicyText };

test("an image that runs already needs no approval, and one that is new here does; the card says why", async () => {
  await using town = await rolloutTown(["web"], builtIn);
  const { developer, approver } = town;
  await says(town, developer, "/gantry create service api --image shop/web:2");
  expect(card(developer)).toMatch(/^🔄|^🟡|^✅/u);

  await says(town, developer, "/gantry create service miner --image evil/miner");
  expect(card(developer)).toMatch(
    /^⏳ Create miner\?\n• 1 instance of evil\/miner\n• first workload in beijing1 that runs evil\/miner\nRuns an image that may be new here\n/u,
  );
  expect(town.calls()).not.toContain("createJob");
  const before = town.calls().length;
  await clicks(town, approver, "Approve");
  expect(town.calls().slice(before)).toContain("createService");
});

test("a step far above what runs asks first; its card and can-i say why", async () => {
  await using town = await rolloutTown(["web"], builtIn);
  const { developer, approver } = town;
  expect(await says(town, developer, "/gantry can-i scale web 500")).toMatch(
    /with 1 approval.*Policy: big steps.*3 → 500 instances is a big step: needs approval/su,
  );

  await says(town, developer, "/gantry scale web 500");
  expect(card(developer)).toMatch(
    /^⏳ Scale web to 500\?\n• instances 3 → 500\n• 3 → 500 instances is a big step: needs approval\n/u,
  );
  expect(town.calls()).not.toContain("updateService");
  await clicks(town, approver, "Approve");
  expect(town.calls()).toContain("updateService");
  expect(card(developer)).not.toContain("is a big step");
});

test("can-i says the same, and so does the form's preview", async () => {
  await using town = await rolloutTown(["web"], builtIn);
  const { developer } = town;

  const told = await says(town, developer, "/gantry can-i create service miner --image evil/miner");
  expect(told).toContain("with 1 approval");
  expect(told).toContain("first workload in beijing1 that runs evil/miner");
  expect(await says(town, developer, "/gantry can-i create service api --image shop/web")).toContain("✅ Yes");

  await says(town, developer, "/gantry create service miner --image evil/miner");
  await developer.says("/gantry create service");
  await town.settled();
  await developer.submits({ name: "api", image: "evil/miner" });
  await town.settled();
  expect(form(developer)).toContain("first workload in beijing1 that runs evil/miner");
});

test("a write with a new image costs at most five calls, with its approval", async () => {
  await using town = await rolloutTown(["web"], builtIn);
  const before = town.calls().length;
  await says(town, town.developer, "/gantry create service miner --image evil/miner");
  await clicks(town, town.approver, "Approve");

  const calls = town.calls().slice(before);
  expect(calls.lastIndexOf("createService") + 2).toBeLessThanOrEqual(5);
});

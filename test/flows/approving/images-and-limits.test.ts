import { expect, test } from "vitest";
import { images } from "../../service/support/memory-store.ts";
import { approvalTown, count } from "../../support/approval-town.ts";
import { card, clicks, says, form } from "../../support/speak.ts";
import { defaultPolicyText } from "../../../src/bot/policy/read-policy.ts";
import { rolloutTown } from "../../support/rollout-town.ts";

const policy = (pattern: string, end = "approve: { from: channel-members }") => `
rules:
  - { name: look, who: members, does: read, then: allow }
  - name: our images
    who: members
    does: [routine, disruptive]
    images: "${pattern}"
    limits: { instances: 3, memory: 1Gi }
    then: { ${end} }
`;
const ours = images.web.replace(/[^/]*$/u, "*");

test("creating, scaling and setting memory stay within the images and sizes of a rule", async () => {
  await using town = await approvalTown({ policy: policy(ours, "allow: {}") });
  const { developer } = town;
  const asks = (words: string) => says(town, developer, `/gantry ${words}`);

  expect(await asks("scale web 4")).toContain("no policy rule allows 4 instances");
  expect(await asks("memory web 2048")).toContain("no policy rule allows 2048 MiB of memory for each instance");
  expect(await asks("create service miner --image evil/miner --memory 512")).toMatch(
    /no policy rule allows the image .*evil\/miner.*is for test\/\*/su,
  );
  expect(await asks("create service shop --image evil/miner")).toMatch(/no policy rule allows the image/u);
  expect(await asks(`create service shop --image ${images.web}`)).toContain("Add --memory.");
  expect(count(town, "createService") + count(town, "updateService")).toBe(0);

  await asks("scale web 3");
  await asks(`create service shop --image ${images.web} --memory 512`);

  expect(count(town, "updateService")).toBe(1);
  expect(count(town, "createService")).toBe(1);
});

test("a request whose image policy forbids meanwhile doesn't run when it is approved", async () => {
  await using town = await approvalTown({ policy: policy(ours) });
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web 3");
  town.setPolicy(policy("other/*"));

  await clicks(town, approver, "Approve");

  expect(count(town, "updateService")).toBe(0);
  expect(card(developer)).toMatch(/may no longer do this.*no policy rule allows the image/su);
});

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

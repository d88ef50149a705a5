import { expect, test } from "vitest";
import { operationOf } from "../../support/operation-of.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { spoken } from "../../support/channel-town.ts";
import { connects, danas, usedFor } from "../../support/linking.ts";
import { says } from "../../support/speak.ts";
import { world, type World, type WorldOptions } from "../../support/world.ts";

type Town = World & { readonly web: (fields: object) => void };

const well = { status: "Running", ready_instances: 1, target_instance_size: 1 };
const failing = { status: "Failed", ready_instances: 0, target_instance_size: 1 };

/** A workload API with one service, web, as the test says. */
async function town(options: Pick<WorldOptions, "policy"> = { policy: openPolicy }): Promise<Town> {
  let web: object = { name: "web", uid: "u1", ...well };
  const made = await world({
    ...options,
    apiFetch: async (request) => {
      const op = operationOf(request);
      if (op === "listServices") return Response.json({ services: [web] });
      return op === "listJobs" ? Response.json({ jobs: [] }) : Response.json(web);
    },
  });
  return { ...made, web: (fields) => void (web = { ...web, ...fields }) };
}

const isDigest = (text: string): boolean => text.includes("Digest:");

/** A day passes, in which Gantry looks when a digest is due, once more when it tries again, and in the evening. */
async function aDay(of: Town): Promise<readonly string[]> {
  const before = spoken(of.developer).filter(isDigest).length;
  for (const hours of [20, 1, 1, 2]) {
    of.passMinutes(hours * 60);
    await of.sweep();
  }
  return spoken(of.developer).filter(isDigest).slice(before);
}

test("a digest is told once a day while there is something to say, and not otherwise", async () => {
  await using scene = await town();
  await says(scene, scene.developer, "/gantry watch --digest daily 09:00");
  await scene.sweep();
  const at = spoken(scene.developer).at(-1);

  const quiet = await aDay(scene);
  scene.web(failing);
  const loud = await aDay(scene);
  await says(scene, scene.developer, "/gantry mute web 2d");
  const muted = await aDay(scene);

  expect(at).toMatch(/watches all workloads.*digest every day at 09:00 \(Europe\/Berlin\).*Next digest:/su);
  expect([quiet, muted]).toEqual([[], []]);
  expect(loud).toHaveLength(1);
  expect(loud[0]).toMatch(/Digest: 1 needs attention\nNeeds attention\n🔴 web · failing\nAbout all workloads/u);
});

test("a digest says nothing of a workload of this name that another account has", async () => {
  await using scene = await town({});
  const { developer, approver } = scene;
  await connects(scene, developer, danas);
  await says(scene, developer, "/gantry watch --digest daily 14:30");
  await scene.sweep();
  scene.web(failing);
  await says(scene, approver, "/gantry scale web 3");
  await says(scene, approver, "/gantry restart web");

  scene.passMinutes(31);
  await scene.sweep();
  const digest = spoken(developer).find(isDigest);

  expect(digest).toContain("1 needs attention");
  expect(digest).not.toMatch(/Changed|Waiting/u);
});

test("a digest lists what needs attention, also a workload that is pending with a reason", async () => {
  await using scene = await town();
  await says(scene, scene.developer, "/gantry watch --digest daily 09:00");
  await scene.sweep();
  await scene.settled();
  scene.web({ status: "Pending", ready_instances: 0, message: "0/3 nodes are available: insufficient memory" });

  const [first] = await aDay(scene);

  expect(first).toMatch(/Digest: 1 needs attention\nNeeds attention\n🟡 web · fits on no node\n/u);
});

test("a digest names what changed since the one before, and says when the state can't be read", async () => {
  await using scene = await town();
  await says(scene, scene.developer, "/gantry watch --digest daily 09:00");
  await scene.sweep();
  await says(scene, scene.developer, "/gantry restart web");

  const [first] = await aDay(scene);

  expect(first).toMatch(/Digest: nothing needs attention · 1 change\nChanged\n.*web/u);
  expect(await aDay(scene)).toEqual([]);
});

test.each<[string, "429" | "500", RegExp]>([
  ["limits", "429", /^(?![^]*sent again)/u],
  ["didn't say whether it took", "500", /sent again: you may have it already/u],
])("a digest that Slack %s is sent later, with all that changed since the one before", async (_what, fault, told) => {
  await using scene = await town();
  const { playground, developer } = scene;
  await says(scene, developer, "/gantry watch --digest daily 09:00");
  await scene.sweep();
  await says(scene, developer, "/gantry restart web");
  playground.faults.answer("chat.postMessage", fault, { times: 2, retryAfterSeconds: 60 });

  const [first, ...more] = await aDay(scene);

  expect(first).toMatch(/Digest: nothing needs attention · 1 change\nChanged\n.*web/u);
  expect(first).toMatch(told);
  expect(more).toEqual([]);
});

test("a digest goes on with its account when its owner connects another one", async () => {
  await using scene = await town();
  await says(scene, scene.developer, "/gantry watch --digest daily 09:00");
  await scene.sweep();
  await connects(scene, scene.developer, danas);
  scene.web(failing);
  const before = usedFor(scene, "listServices").length;

  const [told] = await aDay(scene);

  expect(told).toMatch(/Digest: 1 needs attention/u);
  expect(new Set(usedFor(scene, "listServices").slice(before))).toEqual(new Set(["gantry"]));
});

test("a digest leaves out what policy hides in its channel, also what its owner requested", async () => {
  const rules = (more: string): string => `rules:${more}
  - { name: all, who: members, does: [read, watch, routine, disruptive], then: allow }`;
  await using scene = await town({ policy: rules("") });
  await says(scene, scene.developer, "/gantry watch --digest daily 09:00");
  await scene.sweep();
  await says(scene, scene.developer, "/gantry restart web");
  scene.web(failing);
  scene.setPolicy(
    rules("\n  - { name: not here, who: members, does: read, where: C0OPS, workloads: { name: web }, then: refuse }"),
  );

  const [told, ...more] = await aDay(scene);

  expect(told).toMatch(/Digest: state unknown/u);
  expect(told).not.toMatch(/\bweb\b/u);
  expect(more).toEqual([]);
});

test("a digest that waits for a closed channel is told once in it when it opens the same day, and not after the next one", async () => {
  await using scene = await town();
  await says(scene, scene.developer, "/gantry watch --digest daily 09:00");
  await scene.sweep();
  scene.web(failing);
  const inChannel = () => spoken(scene.developer).filter(isDigest).length;
  scene.playground.people.archive("ops");
  for (let day = 0; day < 2; day += 1) await aDay(scene);

  scene.playground.people.unarchive("ops");
  for (let hour = 0; hour < 6; hour += 1) {
    scene.passMinutes(60);
    await scene.sweep();
  }

  expect(inChannel()).toBe(1);
  expect(scene.developer.sees("@gantry").filter(({ text }) => isDigest(text))).toHaveLength(2);
});

test("a digest ends when its channel uses another account by then", async () => {
  await using scene = await town({});
  const { developer } = scene;
  await connects(scene, developer, danas);
  await says(scene, developer, "/gantry watch --digest daily 14:30");
  await scene.sweep();
  scene.web(failing);
  await says(scene, developer, "/gantry use --account gantry");

  scene.passMinutes(31);
  await scene.sweep();

  expect(spoken(developer).filter(isDigest)).toEqual([]);
  expect(spoken(developer).at(-1)).toMatch(/Dana Reyes no longer watches.*the channel uses the account gantry now/u);
  expect(await scene.store().allWatches()).toEqual([]);
});

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { count } from "../../support/approval-town.ts";
import { gatedTown } from "../../support/gated-town.ts";
import { createsServices } from "../../support/shop-town.ts";
import { card, form, says, whispers, wrong } from "../../support/speak.ts";
import type { Person, World } from "../../support/world.ts";

let gated: Awaited<ReturnType<typeof gatedTown>>;
let town: World;
beforeAll(async () => {
  gated = await gatedTown();
  ({ town } = gated);
  await createsServices(town, ["worker", "queue", "cart", "shop"]);
});
afterEach(async () => {
  gated.release();
  await town.settled();
  if (town.developer.modal() !== undefined) await town.developer.closes();
});
afterAll(() => gated[Symbol.asyncDispose]());

/** Fills in what is open and sends it. */
async function sends(person: Person, values: Readonly<Record<string, string>> = {}): Promise<string> {
  await person.submits(values);
  await town.settled();
  return form(person);
}

test("a verb without its words opens its form, and the form does what the words do, with an approval where that is needed", async () => {
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale");
  expect(form(developer)).toMatch(/Scale/u);
  await developer.selects("name", "web");
  await town.settled();
  expect(form(developer)).toMatch(/web\s+· running · 2 instances/u);
  const started = await sends(developer, { size: "3" });

  expect(started).toMatch(/Started:[\s\S]*The card in[\s\S]*shows the outcome/u);
  expect(card(developer)).toMatch(/instances 2 → 3/u);
  expect((await town.service("web")).target_instance_size).toBe(3);
  await developer.closes();

  const before = count(town, "restartService");
  await says(town, developer, "/gantry restart");
  await developer.selects("name", "cart");
  await town.settled();
  expect(await sends(developer, { reason: "it leaks" })).toMatch(/Sent for approval/u);
  expect(card(approver)).toContain("it leaks");
  await approver.clicks("Approve");
  await town.settled();
  expect(count(town, "restartService")).toBe(before + 1);
});

test("a service is created by pointing: what is wrong is told, then what it would do, and it is done once that was seen", async () => {
  const { developer } = town;
  const before = count(town, "createService");
  await says(town, developer, "/gantry create service web");
  await developer.submits({ name: "Bad Name", image: "test/web", memory: "lots" });
  expect(wrong(developer)).toMatchObject({
    name: expect.stringMatching(/name/u),
    memory: expect.stringMatching(/MiB/u),
  });
  await developer.clicks("More settings");
  await town.settled();

  const taken = await sends(developer, {
    name: "web",
    memory: "1Gi",
    env: "LOG_LEVEL=info\nDB_PASSWORD=hunter2hunter2",
  });
  expect(taken).toMatch(/Service web already exists/u);
  expect(taken).toContain("test/web");
  expect(taken).toContain("1Gi");

  expect(await sends(developer, { name: "first-web", memory: "512" })).toMatch(
    /Preview:\s+create\s+first-web\s[\s\S]*Runs immediately/u,
  );
  // Whoever changes something after the preview sees what that would do.
  expect(await sends(developer, { name: "shop-web" })).toMatch(/Preview:\s+create\s+shop-web\s/u);
  expect(count(town, "createService")).toBe(before);
  expect(await sends(developer)).toMatch(/Started:/u);

  expect(count(town, "createService")).toBe(before + 1);
  expect(JSON.stringify(developer.sees("ops"))).not.toContain("hunter2");
  const { containers } = await town.service("shop-web");
  expect(containers?.[0]?.env).toContainEqual(expect.objectContaining({ name: "LOG_LEVEL", value: "info" }));
});

test("a mention that lacks a word gets a button, and the form answers in that thread", async () => {
  const { developer } = town;
  // Without a recent list there are no workloads to offer.
  town.passMinutes(6);
  const { ts = "" } = await developer.says("orders time out");

  await developer.says("@gantry show", { channel: "ops", thread: ts });
  await town.settled();
  expect(whispers(developer).at(-1)).toMatch(/needs a workload\.\n\[Open form\]$/u);
  await developer.clicks("Open form", { thread: ts });
  await town.settled();
  await developer.submits({ name: "web" });
  await town.settled();

  const replies = developer.sees("ops").filter(({ threadTs, isEphemeral }) => threadTs === ts && !isEphemeral);
  expect(replies.at(-1)?.text).toMatch(/🟢 web · running/u);
});

test("another one is created like one that runs", async () => {
  const { developer } = town;
  await says(town, developer, "/gantry show queue");

  await developer.clicks("Create like this");
  await town.settled();
  expect(form(developer)).toMatch(/test\/web[\s\S]*512/u);
  await sends(developer, { name: "web-2" });
  await sends(developer);

  expect((await town.service("web-2")).target_instance_size).toBe(1);
});

test("when the workload API breaks down, a form stays with the reason and what was typed, and sent again twice, it asks once", async () => {
  const { developer } = town;
  const before = count(town, "updateService");
  await says(town, developer, "/gantry scale worker");
  gated.hold();

  await developer.submits({ size: "7", reason: "the sale begins" });
  gated.breakDown();
  await town.settled();

  expect(count(town, "updateService")).toBe(before);
  expect(form(developer)).toMatch(/❌[\s\S]*the sale begins/u);
  gated.hold();
  await developer.submits();
  await developer.submits();
  expect(form(developer)).toMatch(/Sending the request/u);
  gated.release();
  await town.settled();
  expect(form(developer)).toMatch(/Started:/u);
  expect(count(town, "updateService")).toBe(before + 1);
  expect((await town.service("worker")).target_instance_size).toBe(7);
});

test("a form opens at once, can be filled in when it can't tell what is now, and is answered in the channel once it is closed", async () => {
  const { developer } = town;
  gated.hold();

  // Its trigger dies after 3 s: the simulated Slack refuses a form that comes later.
  await developer.says("/gantry scale shop");
  await town.until(() => form(developer) !== "");
  expect(form(developer)).toMatch(/Loading shop/u);
  gated.breakDown();
  await town.settled();
  expect(form(developer)).toMatch(/Current values aren't shown, but you can still use this form/u);

  gated.hold();
  await developer.submits({ size: "1" });
  await developer.closes();
  gated.release();
  await town.settled();

  expect(whispers(developer).at(-1)).toMatch(/shop.*already/u);
});

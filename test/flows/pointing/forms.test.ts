import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { card, form, idOf, says, whispers, wrong } from "../../support/speak.ts";
import type { Person, World } from "../../support/world.ts";

/** Fills in what is open and sends it. */
async function sends(town: World, person: Person, values: Readonly<Record<string, string>> = {}): Promise<string> {
  await person.submits(values);
  await town.settled();
  return form(person);
}

test("a verb without its words opens its form, and the form does what the words do", async () => {
  await using town = await approvalTown();
  const { developer } = town;

  await says(town, developer, "/gantry scale");
  expect(form(developer)).toMatch(/Scale/u);
  await developer.selects("name", "web");
  await town.settled();
  expect(form(developer)).toMatch(/web\s+· running · 2 instances/u);
  const said = await sends(town, developer, { size: "3" });

  expect(said).toMatch(/Started:[\s\S]*The card in[\s\S]*shows the outcome/u);
  expect(card(developer)).toMatch(/instances 2 → 3/u);
  expect((await town.service("web")).target_instance_size).toBe(3);
});

test("with a name the form stands there filled so far, with what is now", async () => {
  await using town = await approvalTown();
  const { developer } = town;

  await says(town, developer, "/gantry scale web");

  expect(form(developer)).toMatch(/web\s+· running · 2 instances/u);
  await developer.submits({ size: "5" });
  await town.settled();
  expect((await town.service("web")).target_instance_size).toBe(5);
});

test("what is wrong is said under its field, and what was typed stays", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await says(town, developer, "/gantry create service");

  await developer.submits({ name: "Bad Name", image: "gantry/hello-web", memory: "lots" });

  expect(wrong(developer)).toMatchObject({
    name: expect.stringMatching(/name/u),
    memory: expect.stringMatching(/MiB/u),
  });
  expect(form(developer)).toContain("Bad Name");
  expect(town.calls().filter((op) => op === "createService")).toEqual([]);
});

test("a service is created by pointing: first what it would do, then it is done", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await says(town, developer, "/gantry create service shop-web");
  await developer.clicks("More settings");
  await town.settled();

  const filled = { image: "test/web", memory: "512", env: "LOG_LEVEL=info\nDB_PASSWORD=hunter2hunter2" };
  const preview = await sends(town, developer, filled);
  expect(preview).toMatch(/Preview:\s+create\s+shop-web\s[\s\S]*Runs immediately/u);
  expect(count(town, "createService")).toBe(0);
  const said = await sends(town, developer);

  expect(said).toMatch(/Started:/u);
  expect(count(town, "createService")).toBe(1);
  expect(JSON.stringify(developer.sees("ops"))).not.toContain("hunter2");
  const { containers } = await town.service("shop-web");
  expect(containers?.[0]?.env).toContainEqual(expect.objectContaining({ name: "LOG_LEVEL", value: "info" }));
});

test("whoever changes something after the preview sees what that would do before it is done", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await says(town, developer, "/gantry create service shop-web");
  await sends(town, developer, { image: "test/web", memory: "512" });

  const again = await sends(town, developer, { name: "shop-api" });

  expect(again).toMatch(/create\s+shop-api/u);
  expect(count(town, "createService")).toBe(0);
  await sends(town, developer);
  expect((await town.service("shop-api")).name).toBe("shop-api");
});

test("a name that is taken is told over the form, with everything that was typed", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await says(town, developer, "/gantry create service web");

  const said = await sends(town, developer, { image: "gantry/hello-web", memory: "1Gi" });

  expect(said).toMatch(/Service web already exists/u);
  expect(said).toContain("gantry/hello-web");
  expect(said).toContain("1Gi");
});

test("a form for what policy refuses says so as soon as it is open, and nothing was sent", async () => {
  await using town = await approvalTown({
    policy: `rules:
  - { name: all read, who: everyone, does: read, then: allow }
  - { name: no scaling, who: members, does: updateService, then: refuse, say: Scaling is off until Monday. }
`,
  });
  const { developer } = town;
  await says(town, developer, "/gantry scale");

  expect(form(developer)).toMatch(/Scaling is off until Monday/u);
  expect(count(town, "updateService")).toBe(0);
});

test("what needs an approval is asked for from the form, and its card waits in the channel", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart");
  await developer.selects("name", "web");
  await town.settled();

  const said = await sends(town, developer, { reason: "it leaks" });

  expect(said).toMatch(/Sent for approval/u);
  expect(card(approver)).toMatch(/Why: it leaks|it leaks/u);
  await approver.clicks("Approve");
  await town.settled();
  expect(count(town, "restartService")).toBe(1);
});

test("delete asks for the name once more", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await says(town, developer, "/gantry delete");
  await developer.selects("name", "web");
  await town.settled();

  await developer.submits({ confirm: "wep" });
  expect(wrong(developer)["confirm"]).toMatch(/web/u);
  await developer.submits({ confirm: "web" });
  await town.settled();

  expect(card(developer)).toMatch(/delete/iu);
  expect(idOf(card(developer))).toMatch(/^[0-9A-Z]{6}$/u);
});

test("the domains of a service are edited as a list", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await says(town, developer, "/gantry domains web add shop.example.com");

  await says(town, developer, "/gantry domains web");
  expect(form(developer)).toContain("shop.example.com");
  expect(await sends(town, developer, { domains: "www.example.com" })).toMatch(/− domain shop\.example\.com/u);
  await sends(town, developer);

  expect(card(developer)).toMatch(/\+ domain www\.example\.com[\s\S]*− domain shop\.example\.com/u);
});

test("a mention that lacks a word gets a button, and the form answers in that thread", async () => {
  await using town = await approvalTown();
  const { developer } = town;
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
  await using town = await approvalTown();
  const { developer } = town;
  await says(town, developer, "/gantry show web");

  await developer.clicks("Create like this");
  await town.settled();
  expect(form(developer)).toMatch(/test\/web[\s\S]*512/u);
  await sends(town, developer, { name: "web-2" });
  await sends(town, developer);

  expect((await town.service("web-2")).target_instance_size).toBe(2);
});

test("wrong words are answered in words, as before", async () => {
  await using town = await approvalTown();
  const { developer } = town;

  expect(await says(town, developer, "/gantry scale web many")).toMatch(/must be a whole number/u);
  expect(await says(town, developer, "/gantry scale web 3 4")).toContain("scale doesn't take 4.");
  expect(developer.modal()).toBeUndefined();
});

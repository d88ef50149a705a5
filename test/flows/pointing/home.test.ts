import { expect, test } from "vitest";
import { gatedTown } from "../../support/gated-town.ts";
import { approvalTown, count } from "../../support/approval-town.ts";
import { danas, teams } from "../../support/linking.ts";
import { manyServices } from "../../support/many-services.ts";
import { card, form, home, says } from "../../support/speak.ts";
import { type Person, world, type World } from "../../support/world.ts";

async function opensHome(town: World, person: Person): Promise<string> {
  await person.opensHome();
  await town.settled();
  return home(person);
}

async function clicksHome(town: World, person: Person, label: string): Promise<string> {
  await person.clicks(label, { home: true });
  await town.settled();
  return home(person);
}

/** What the bot said to a person in their own conversation, newest last. */
function inDirect(person: Person): readonly string[] {
  return person.sees("@gantry").map(({ text }) => text);
}

test("Home shows what runs, with one list call for each kind", async () => {
  await using town = await approvalTown();
  const { developer } = town;

  const shown = await opensHome(town, developer);

  expect(shown).toMatch(/Workloads \(beijing1\)\n1 workload · 1 healthy\n🟢 \*web\* 2\/2/u);
  expect(shown).toMatch(/Acting as gantry \(workspace account\)/u);
  expect(town.calls().toSorted()).toEqual(["listJobs", "listServices"]);
});

test("opening it again within seconds costs no call", async () => {
  await using town = await approvalTown();
  const { developer } = town;

  await opensHome(town, developer);
  await opensHome(town, developer);

  expect(count(town, "listServices")).toBe(1);
});

test("what waits for me is approved on Home, and Home shows how it ended", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web --reason 'it leaks'");

  expect(await opensHome(town, approver)).toMatch(/Waiting for you[\s\S]*Restart[\s\S]*it leaks/u);
  const after = await clicksHome(town, approver, "Approve");

  expect(count(town, "restartService")).toBe(1);
  expect(after).not.toContain("Waiting for you");
  expect(after).toMatch(/Recent[\s\S]*web/u);
  expect(inDirect(approver).at(-1)).toMatch(/👍 Approved/u);
});

test("my own request is on my Home and is cancelled there", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await says(town, developer, "/gantry restart web");

  expect(await opensHome(town, developer)).toMatch(
    /Your requests[\s\S]*Restart[\s\S]*0 of 1 approval · expires in \d+ min/u,
  );
  const after = await clicksHome(town, developer, "Cancel");

  expect(after).not.toContain("Your requests");
  expect(card(developer)).toMatch(/cancelled/iu);
});

test("a service is created from Home: the form asks in which channel", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await opensHome(town, developer);

  await clicksHome(town, developer, "Create");
  await developer.submits({
    kind: "service",
    name: "shop-web",
    image: "gantry/hello-web",
    memory: "512",
    channel: developer.channelId("ops"),
  });
  await town.settled();
  await developer.submits();
  await town.settled();

  expect(form(developer)).toMatch(/Started:/u);
  expect(card(developer)).toMatch(/shop-web/u);
});

test("what needs an approval cannot be asked for in a conversation alone; the form says so and keeps all", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await opensHome(town, developer);

  await developer.selects("home:do", "restart", { home: true });
  await town.settled();
  await developer.selects("name", "web");
  await town.settled();
  await developer.submits({ reason: "it leaks" });
  await town.settled();

  expect(form(developer)).toMatch(/nobody else is in this conversation/u);
  expect(form(developer)).toContain("it leaks");
  await developer.submits({ channel: developer.channelId("ops") });
  await town.settled();
  expect(card(town.approver)).toMatch(/it leaks/u);
});

test("a region of my own is what my words mean from then on", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await opensHome(town, developer);

  await developer.selects("home:region", "beijing2", { home: true });
  await town.settled();

  expect(home(developer)).toMatch(/Workloads \(beijing2\)/u);
  expect(await says(town, developer, "/gantry list services")).toMatch(/beijing2/u);
  expect(await says(town, approver, "/gantry list services")).toContain("web");
});

test("without an account Home offers to connect one", async () => {
  await using town = await approvalTown({ accountMode: "own", users: [danas] });
  const { developer } = town;

  expect(await opensHome(town, developer)).toMatch(/Connect your account/u);
  await clicksHome(town, developer, "home:connect");
  await developer.submits(danas);
  await town.settled();

  expect(await opensHome(town, developer)).toMatch(/dana-own/u);
});

test("Home opens at once when the workload API is slow, and says what it waits for", async () => {
  await using gated = await gatedTown();
  const { town, hold, release } = gated;
  const { developer } = town;
  hold();

  await developer.opensHome();
  await town.until(() => home(developer) !== "");
  expect(home(developer)).toMatch(/Reading workloads…/u);

  release();
  await town.settled();
  expect(home(developer)).toMatch(/1 workload · 1 healthy/u);
});

test("with 2,000 services it counts them and shows one page, without another call", async () => {
  await using town = await world({ apiFetch: manyServices(2_000) });
  const { developer } = town;

  const shown = await opensHome(town, developer);

  expect(shown).toContain("2,000 workloads · 1,333 healthy · 667 stopped or complete");
  expect(shown).toMatch(/svc-0001[\s\S]*svc-0020[\s\S]*1–20 of 2,000/u);
  const calls = town.calls().length;
  expect(await clicksHome(town, developer, "Next 20")).toMatch(/svc-0021[\s\S]*21–40 of 2,000/u);
  expect(await clicksHome(town, developer, "Previous")).toContain("1–20 of 2,000");
  expect(town.calls()).toHaveLength(calls);
});

test("a channel that somebody chooses in a form has to be one they are in", async () => {
  await using town = await approvalTown();
  const { guest, developer } = town;
  town.setPolicy(`rules:
  - { name: all, who: everyone, does: anything, then: allow }
`);
  await opensHome(town, guest);
  await guest.selects("home:do", "restart", { home: true });
  await town.settled();
  await guest.selects("name", "web");
  await town.settled();

  await guest.submits({ channel: developer.channelId("general") });
  await town.settled();

  expect(form(guest)).toMatch(/not in the channel/u);
  expect(count(town, "restartService")).toBe(0);
});

test("the same can be chosen twice on Home, and costs no list call", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await opensHome(town, developer);
  const before = town.calls().length;

  for (const _time of ["first", "second"]) {
    await developer.selects("home:do", "scale", { home: true });
    await town.settled();
    expect(form(developer)).toMatch(/Scale/u);
    expect(JSON.stringify(developer.home()?.state)).not.toContain('"value":"scale"');
    await developer.dismisses();
  }

  expect(town.calls().length).toBe(before);
});

test("accounts are linked and unlinked by pointing, for oneself and for a channel", async () => {
  await using town = await approvalTown({ users: [danas, teams] });
  const { developer } = town;
  await opensHome(town, developer);

  await chooses(town, "connect", { whose: "mine" });
  await developer.submits(danas);
  await town.settled();
  await developer.dismisses();
  expect(await opensHome(town, developer)).toMatch(/dana-own/u);

  await chooses(town, "connect", { whose: "channel" });
  expect(form(developer)).toMatch(/has no channel account/u);
  await developer.dismisses();
  await chooses(town, "connect", { whose: "channel", channel: developer.channelId("ops") });
  await developer.submits(teams);
  await town.settled();
  await developer.dismisses();
  expect(await says(town, town.approver, "/gantry whoami")).toContain("team-ops, this channel's");

  await chooses(town, "disconnect", { whose: "mine" });
  expect(await opensHome(town, developer)).not.toMatch(/dana-own/u);
});

test("what needs no form is answered in the conversation with the bot", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await opensHome(town, developer);

  await developer.selects("home:do", "whoami", { home: true });
  await town.settled();

  expect(inDirect(developer).at(-1)).toMatch(/Your account/u);
});

/** Chooses a verb on dana's Home, and sends its form. */
async function chooses(town: World, verb: string, values: Readonly<Record<string, string>>): Promise<void> {
  const { developer } = town;
  await developer.selects("home:do", verb, { home: true });
  await town.settled();
  await developer.submits(values);
  await town.settled();
}

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { gatedTown } from "../../support/gated-town.ts";
import { danas, teams } from "../../support/linking.ts";
import { createsServices } from "../../support/shop-town.ts";
import { card, form, home, says } from "../../support/speak.ts";
import type { Person, World } from "../../support/world.ts";

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

describe("Home", () => {
  let gated: Awaited<ReturnType<typeof gatedTown>>;
  let town: World;
  beforeAll(async () => {
    gated = await gatedTown();
    ({ town } = gated);
    await createsServices(town, ["worker", "queue", "mailer"]);
  });
  afterEach(async () => {
    gated.release();
    await town.settled();
    if (town.developer.modal() !== undefined) await town.developer.dismisses();
  });
  afterAll(() => gated[Symbol.asyncDispose]());

  test("shows what runs, with one list call for each kind, and opening it again within seconds costs no call", async () => {
    const { developer } = town;
    // What was listed before is too old by now.
    town.passMinutes(6);
    const before = town.calls().length;

    const shown = await opensHome(town, developer);
    await opensHome(town, developer);

    expect(shown).toMatch(/Workloads \(beijing1\)\n\d workloads · \d healthy\n/u);
    expect(shown).toContain("🟢 *web* 2/2");
    expect(shown).toMatch(/Acting as gantry \(workspace account\)/u);
    expect(town.calls().slice(before).toSorted()).toEqual(["listJobs", "listServices"]);
  });

  test("what waits for me is approved on Home, and Home shows how it ended", async () => {
    const { developer, approver } = town;
    const before = count(town, "restartService");
    await says(town, developer, "/gantry restart worker --reason 'it leaks'");

    expect(await opensHome(town, approver)).toMatch(/Waiting for you[\s\S]*Restart\s+worker[\s\S]*it leaks/u);
    const after = await clicksHome(town, approver, "Approve");

    expect(count(town, "restartService")).toBe(before + 1);
    expect(after).not.toMatch(/Restart\s+worker/u);
    expect(after).toMatch(/Recent[\s\S]*worker\s+restarted/u);
    expect(inDirect(approver).at(-1)).toMatch(/👍 Approved/u);
  });

  test("my own request is on my Home and is cancelled there", async () => {
    const { developer } = town;
    await says(town, developer, "/gantry restart queue");

    expect(await opensHome(town, developer)).toMatch(
      /Your requests[\s\S]*Restart\s+queue[\s\S]*0 of 1 approval · expires in \d+ min/u,
    );
    const after = await clicksHome(town, developer, "Cancel");

    expect(after).not.toMatch(/Restart\s+queue/u);
    expect(card(developer)).toMatch(/cancelled/iu);
  });

  test("a service is created from Home: the form asks in which channel", async () => {
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
    const { developer } = town;
    await opensHome(town, developer);

    await developer.selects("home:do", "restart", { home: true });
    await town.settled();
    await developer.selects("name", "mailer");
    await town.settled();
    await developer.submits({ reason: "it is slow" });
    await town.settled();

    expect(form(developer)).toMatch(/nobody else is in this conversation/u);
    expect(form(developer)).toContain("it is slow");
    await developer.submits({ channel: developer.channelId("ops") });
    await town.settled();
    expect(card(town.approver)).toMatch(/it is slow/u);
  });

  test("a region of my own is what my words mean from then on", async () => {
    const { approver, developer } = town;
    await opensHome(town, approver);

    await approver.selects("home:region", "beijing2", { home: true });
    await town.settled();

    expect(home(approver)).toMatch(/Workloads \(beijing2\)/u);
    expect(await says(town, approver, "/gantry list services")).toMatch(/beijing2/u);
    expect(await says(town, developer, "/gantry list services")).toContain("web");
    await approver.selects("home:region", "beijing1 (server default)", { home: true });
    await town.settled();
    expect(home(approver)).toMatch(/Workloads \(beijing1\)/u);
  });

  test("opens at once when the workload API is slow, says what it waits for, and opens forms", async () => {
    const { developer } = town;
    town.passMinutes(6);
    gated.hold();

    await developer.opensHome();
    await town.until(() => /Reading workloads…/u.test(home(developer)));
    await developer.selects("home:do", "restart", { home: true });
    await town.until(() => form(developer) !== "");

    gated.release();
    await town.settled();
    expect(home(developer)).toMatch(/\d workloads · \d healthy/u);
  });

  test("shows what it knew when the workload API breaks down, and says how old that is", async () => {
    const { developer } = town;
    await opensHome(town, developer);
    gated.breakDown();
    town.passMinutes(2);

    const shown = await clicksHome(town, developer, "Refresh");

    expect(shown).toMatch(/⚠️ .*Showing workloads as they were 2 min ago\./u);
    expect(shown).toContain("🟢 *web*");
  });

  test("the same can be chosen twice on Home, and costs no list call", async () => {
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

  test("what needs no form is answered in the conversation with the bot", async () => {
    const { developer } = town;
    await opensHome(town, developer);

    await developer.selects("home:do", "whoami", { home: true });
    await town.settled();

    expect(inDirect(developer).at(-1)).toMatch(/Your account/u);
  });

  test("the menu of a workload shows it, and opens the forms of its verbs", async () => {
    const { developer } = town;
    await opensHome(town, developer);

    await clicksHome(town, developer, "Show");
    expect(developer.sees("@gantry").at(-1)?.text).toContain("mailer");
    await clicksHome(town, developer, "Restart");
    expect(form(developer)).toMatch(/Restart/u);
    expect(form(developer)).toContain("service/mailer");
  });

  test("a menu of Home that somebody forged reads nothing and changes nothing", async () => {
    const { developer } = town;
    const before = town.calls().length;
    const forged = (blockId: string, value: string) => ({
      type: "block_actions",
      trigger_id: `t-${blockId}-${value}`,
      user: { id: "U0DANA" },
      view: { type: "home", id: "V1", private_metadata: '{"page":-4}' },
      actions: [{ action_id: "home:workload", block_id: blockId, action_ts: "1.1", selected_option: { value } }],
    });

    for (const [blockId, value] of [
      ["not json", "show"],
      ['["row","beijing1"]', "show"],
      ['["row","beijing1","service/web"]', "approve"],
    ] as const) {
      await town.playground.deliver(forged(blockId, value));
    }

    await town.settled();
    expect(developer.sees("@gantry").at(-1)?.text).toMatch(/button/iu);
    expect(town.calls()).toHaveLength(before);
  });
});

test("a redraw stays on the page, and a page that is no longer there is the last one", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await createsServices(
    town,
    Array.from({ length: 21 }, (_, at) => `shop-${String(at + 1).padStart(2, "0")}`),
  );
  await opensHome(town, developer);
  const calls = town.calls().length;
  expect(await clicksHome(town, developer, "Next 2")).toContain("21–22 of 22");
  expect(await clicksHome(town, developer, "Previous")).toContain("1–20 of 22");
  await clicksHome(town, developer, "Next 2");
  expect(town.calls()).toHaveLength(calls);
  await says(town, approver, "/gantry restart service/web");

  expect(await clicksHome(town, developer, "Refresh")).toContain("21–22 of 22");
  expect(await clicksHome(town, developer, "Approve")).toContain("21–22 of 22");
  for (const name of ["web", "shop-21"])
    await town.api.send({
      op: "deleteService",
      path: { region: "beijing1", service_name: name },
      query: undefined,
      body: undefined,
    });
  town.passMinutes(6);

  expect(await clicksHome(town, developer, "Refresh")).toMatch(/20 workloads[\s\S]*shop-01[\s\S]*shop-20/u);
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

test("a person who may see nothing gets an honest Home", async () => {
  await using town = await approvalTown({
    policy: "rules:\n  - { name: nothing, who: everyone, does: anything, then: refuse }\n",
  });

  const shown = await opensHome(town, town.developer);

  expect(shown).toContain("Unknown right now.");
  expect(shown).toContain("⚠️");
  expect(shown).not.toContain("web");
  expect(town.calls()).toEqual([]);
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

/** Chooses a verb on dana's Home, and sends its form. */
async function chooses(town: World, verb: string, values: Readonly<Record<string, string>>): Promise<void> {
  const { developer } = town;
  await developer.selects("home:do", verb, { home: true });
  await town.settled();
  await developer.submits(values);
  await town.settled();
}

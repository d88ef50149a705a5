import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defaultPolicyText } from "../../../src/bot/policy/read-policy.ts";
import { approvalTown, count, othersDelete } from "../../support/approval-town.ts";
import { gatedTown } from "../../support/gated-town.ts";
import { danas, teams } from "../../support/linking.ts";
import { othersApprove } from "../../support/policies.ts";
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
  beforeEach(() => town.setPolicy(defaultPolicyText));
  afterEach(async () => {
    gated.release();
    await town.settled();
    for (const person of [town.developer, town.guest]) if (person.modal() !== undefined) await person.closes();
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
    expect(shown).toContain("🟢 *web* 2 of 2");
    expect(shown).toMatch(/Acting as gantry \(workspace account\)/u);
    expect(town.calls().slice(before).toSorted()).toEqual(["listJobs", "listServices"]);
  });

  test("what waits for me is approved there and shows how it ended, and my own request is cancelled there", async () => {
    const { developer, approver } = town;
    const before = count(town, "restartService");
    await says(town, developer, "/gantry restart worker --reason 'it leaks'");

    expect(await opensHome(town, approver)).toMatch(/Waiting for you[\s\S]*Restart\s+worker[\s\S]*it leaks/u);
    const approved = await clicksHome(town, approver, "Approve");

    expect(count(town, "restartService")).toBe(before + 1);
    expect(approved).not.toMatch(/Restart\s+worker/u);
    expect(approved).toMatch(/Recent[\s\S]*Restarted\s+worker/u);
    expect(inDirect(approver).at(-1)).toMatch(/👍 Approved/u);

    await says(town, developer, "/gantry restart queue");
    expect(await opensHome(town, developer)).toMatch(
      /Your requests[\s\S]*Restart\s+queue[\s\S]*0 of 1 approval · expires in \d+ min/u,
    );
    expect(await clicksHome(town, developer, "Cancel request")).not.toMatch(/Restart\s+queue/u);
    expect(card(developer)).toMatch(/cancelled/iu);
  });

  test("a form that is opened there asks in which channel its card waits, which has to be one that the person is in", async () => {
    const { developer, guest } = town;
    town.setPolicy(othersApprove.replace(/members\](?=\n {4}does: \[routine)/u, "everyone]"));
    await opensHome(town, developer);
    await clicksHome(town, developer, "Create");
    expect(form(developer)).toMatch(/Where the approval card/u);
    await developer.closes();

    await opensHome(town, guest);
    await guest.selects("home:do", "restart", { home: true });
    await town.settled();
    await guest.submits({ name: "service/mailer", reason: "it is slow", channel: developer.channelId("general") });
    await town.settled();
    expect(form(guest)).toMatch(/not in the channel/u);
    expect(form(guest)).toContain("it is slow");

    await guest.submits({ channel: developer.channelId("ops") });
    await town.settled();
    expect(card(town.approver)).toMatch(/Restart mailer\?[^]*it is slow/u);
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

  test("opens at once when the workload API is slow, opens forms, and shows what it knew, with its age, when that breaks down", async () => {
    const { developer } = town;
    town.passMinutes(6);
    gated.hold();

    await developer.opensHome();
    await town.until(() => /Reading workloads…/u.test(home(developer)));
    gated.release();
    await town.settled();
    expect(home(developer)).toMatch(/\d workloads · \d healthy/u);

    gated.hold();
    await developer.selects("home:do", "restart", { home: true });
    await town.until(() => form(developer) !== "");

    gated.breakDown();
    town.passMinutes(2);
    const shown = await clicksHome(town, developer, "Refresh");
    expect(shown).toMatch(/⚠️ .*Showing workloads as they were 2m ago\./u);
    expect(shown).toContain("🟢 *web*");
  });

  test("its menus open forms, show a workload and answer in the conversation with the bot; a forged one does nothing", async () => {
    const { developer } = town;
    await opensHome(town, developer);
    const before = town.calls().length;
    const told = inDirect(developer).length;

    // The same can be chosen twice, and costs no list call.
    for (const _time of ["first", "second"]) {
      await developer.selects("home:do", "scale", { home: true });
      await town.settled();
      expect(form(developer)).toMatch(/Scale/u);
      expect(JSON.stringify(developer.home()?.state)).not.toContain('"value":"scale"');
      await developer.closes();
    }
    await developer.selects("home:do", "whoami", { home: true });
    await town.settled();
    expect(inDirect(developer).slice(told)).toEqual([expect.stringMatching(/Your account/u)]);

    for (const [blockId, value] of [
      ["not json", "show"],
      ['["row","beijing1"]', "show"],
      ['["row","beijing1","service/web"]', "approve"],
    ] as const) {
      await town.playground.deliver({
        type: "block_actions",
        trigger_id: `t-${blockId}-${value}`,
        user: { id: "U0DANA" },
        view: { type: "home", id: "V1", private_metadata: '{"page":-4}' },
        actions: [{ action_id: "home:workload", block_id: blockId, action_ts: "1.1", selected_option: { value } }],
      });
    }
    await town.settled();
    expect(inDirect(developer).slice(told + 1)).toEqual(Array(3).fill(expect.stringMatching(/button/iu)));
    expect(town.calls()).toHaveLength(before);

    await clicksHome(town, developer, "Restart");
    expect(form(developer)).toMatch(/Restart[^]*service\/mailer/u);
    await developer.closes();
    await clicksHome(town, developer, "Show");
    expect(inDirect(developer).at(-1)).toContain("mailer");
  });

  test("a person who may see nothing gets an honest Home", async () => {
    const before = town.calls().length;
    town.setPolicy("rules:\n  - { name: nothing, who: everyone, does: anything, then: refuse }\n");

    const shown = await opensHome(town, town.developer);

    expect(shown).toContain("Unknown right now.");
    expect(shown).toContain("⚠️");
    expect(shown).not.toContain("web");
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
  for (const name of ["web", "shop-21"]) await othersDelete(town, name);
  town.passMinutes(6);

  expect(await clicksHome(town, developer, "Refresh")).toMatch(/20 workloads[\s\S]*shop-01[\s\S]*shop-20/u);
});

test("accounts are linked and unlinked by pointing, for oneself and for a channel", async () => {
  await using town = await approvalTown({ users: [danas, teams] });
  const { developer } = town;
  await opensHome(town, developer);

  await chooses(town, "connect", { whose: "mine" });
  await developer.submits(danas);
  await town.settled();
  await developer.closes();
  expect(await opensHome(town, developer)).toMatch(/dana-own/u);

  await chooses(town, "connect", { whose: "channel" });
  expect(form(developer)).toMatch(/has no channel account/u);
  await developer.closes();
  await chooses(town, "connect", { whose: "channel", channel: developer.channelId("ops") });
  await developer.submits(teams);
  await town.settled();
  await developer.closes();
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

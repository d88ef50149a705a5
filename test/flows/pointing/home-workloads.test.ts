import { expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { creates } from "../../support/channel-town.ts";
import { gatedTown } from "../../support/gated-town.ts";
import { form, home, says } from "../../support/speak.ts";
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

test("a redraw stays on the page, and a page that is no longer there is the last one", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  for (let at = 1; at <= 21; at += 1) await creates(town, `shop-${String(at).padStart(2, "0")}`, "beijing1");
  await opensHome(town, developer);
  await clicksHome(town, developer, "Next 2");
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

test("the menu of a workload shows it, and opens the forms of its verbs", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await opensHome(town, developer);

  await clicksHome(town, developer, "Show");
  expect(developer.sees("@gantry").at(-1)?.text).toContain("web");
  await clicksHome(town, developer, "Restart");
  expect(form(developer)).toMatch(/Restart/u);
  expect(form(developer)).toContain("service/web");
});

test("a menu of Home that somebody forged reads nothing and changes nothing", async () => {
  await using town = await approvalTown();
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

test("when the workload API breaks down, Home shows what it knew and says how old that is", async () => {
  await using gated = await gatedTown();
  const { town, breakDown } = gated;
  const { developer } = town;
  await opensHome(town, developer);
  breakDown();
  town.passMinutes(2);

  const shown = await clicksHome(town, developer, "Refresh");

  expect(shown).toMatch(/⚠️ .*Showing workloads as they were 2 min ago\./u);
  expect(shown).toContain("🟢 *web*");
});

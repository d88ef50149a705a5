import { describe, expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { awayStore } from "../../support/away-store.ts";
import { creates } from "../../support/channel-town.ts";
import { card, clicks, says, saysIn } from "../../support/speak.ts";

describe("a locked channel", () => {
  test("refuses another region and other names, for reads and writes, before the service is asked", async () => {
    await using town = await approvalTown();
    const { developer, approver } = town;
    await creates(town, "shop-front", "beijing1");
    await says(town, developer, '/gantry use --region beijing1 --names "shop-*" --lock');
    const before = town.calls().length;

    const refused = [
      "list --region beijing2",
      "show web",
      "show shop-front --region beijing2",
      "logs service/web",
      "logs job/other",
      "scale web 3",
      "scale shop-front 3 --region beijing2",
      "create service other --image test/web",
    ];
    for (const words of refused) {
      const told = await says(town, approver, `/gantry ${words}`);
      expect(told, words).toMatch(/Dana Reyes locked this channel to (?:region beijing1|the names shop-\*)/u);
      expect(told, words).toMatch(/To see or change the binding/u);
    }

    expect(town.calls().length).toBe(before);
    expect(await says(town, approver, "/gantry can-i scale web 3")).toMatch(/locked this channel/u);
    expect(await says(town, approver, "/gantry show shop-front")).toMatch(
      /This channel: region beijing1, names shop-\*, locked/u,
    );
    await says(town, approver, "/gantry scale shop-front 2");
    expect(count(town, "updateService")).toBe(1);
    expect(await saysIn(town, { person: approver, channel: "general" }, "/gantry show web")).toContain(
      "🟢 web · running",
    );
  });

  test("does not keep jobs out by its region, because jobs have only one", async () => {
    await using town = await approvalTown();
    await says(town, town.developer, "/gantry use --region beijing2 --lock");

    expect(await says(town, town.developer, "/gantry list jobs")).not.toMatch(/locked this channel/u);
    expect(await says(town, town.developer, "/gantry show job/none")).toMatch(/no job named none/u);
  });

  test("also stops requests from before the lock, and says who locked it", async () => {
    await using town = await approvalTown();
    const { developer, approver } = town;
    await says(town, developer, "/gantry restart web");
    await says(town, developer, "/gantry use --region beijing2 --lock");

    expect(await clicks(town, approver, "Approve")).toMatch(/locked this channel/u);

    expect(count(town, "restartService")).toBe(0);
    expect(card(developer)).toMatch(/❌.*Dana Reyes locked this channel to region beijing2/su);
  });
});

test("a binding outlives the process, and looks keep to it while the database is away", async () => {
  const database = awayStore();
  await using town = await approvalTown({ store: database.wrap });
  const { developer, approver } = town;
  await says(town, developer, "/gantry use --region beijing2 --lock");
  await town.restartBot();
  expect(await says(town, developer, "/gantry list services")).toContain("services in beijing2");

  database.leave();

  expect(await says(town, developer, "/gantry list services")).toMatch(/services in beijing2.*locked/su);
  expect(await says(town, developer, "/gantry list --region beijing1")).toMatch(/locked this channel/u);
  expect(await says(town, developer, "/gantry use")).toMatch(/database/u);
  expect(await says(town, developer, "/gantry use --clear")).toMatch(/Not started/u);
  // What this channel is bound to is not known for somebody who has not asked before.
  expect(await says(town, approver, "/gantry list")).toMatch(/can't reach my database/u);
});

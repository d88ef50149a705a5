import { expect, test } from "vitest";
import { erasePersonNow } from "../../../src/bot/compose/data/person.ts";
import { approvalTown } from "../../support/approval-town.ts";
import { card, clicks, says, whispers } from "../../support/speak.ts";

test("a followed request whose requester is erased can't be undone, and the log reports nothing broken", async () => {
  await using town = await approvalTown({ settings: { healthyAfterMs: 60_000 } });
  await says(town, town.developer, "/gantry scale web 3");
  await town.until(() => card(town.developer).includes("watching for 60 s"));
  const settings = { store: { kind: "sqlite" }, dataDir: town.dataDir, keys: town.keys } as const; // a literal kind
  await erasePersonNow(settings, town.developer.id);
  const before = town.logged().length;

  await clicks(town, town.approver, "Undo");
  town.passMinutes(2);
  await town.sweep();
  await town.settled();

  expect(whispers(town.approver).join("\n")).toMatch(/What it asked for was erased\. Nothing was changed\./u);
  expect(
    town
      .logged()
      .slice(before)
      .filter(({ level }) => Number(level) >= 40),
  ).toEqual([]);
});

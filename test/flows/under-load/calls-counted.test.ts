import { expect, test } from "vitest";
import { BEGINNING } from "../../support/test-clock.ts";
import { approvalTown } from "../../support/approval-town.ts";
import { awayStore } from "../../support/away-store.ts";
import { says } from "../../support/speak.ts";

const ofToday = { teamId: "T0PLAYGR", username: "gantry", day: BEGINNING.toISOString().slice(0, 10) };

test("the calls since the last sweep are counted before the bot ends", async () => {
  await using town = await approvalTown();
  await says(town, town.developer, "/gantry list");
  const before = await town.store().callsOn(ofToday);

  await town.restartBot();

  expect(before).toBe(0);
  expect(await town.store().callsOn(ofToday)).toBe(town.calls().length);
});

test("a database that is away does not keep the bot from ending", async () => {
  const database = awayStore();
  await using town = await approvalTown({ store: database.wrap });
  await says(town, town.developer, "/gantry list");
  database.leave();

  await town.stopBot();

  expect(town.logged().some(({ msg }) => msg === "couldn't count the last calls")).toBe(true);
});

import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { keylessStore } from "../../support/keyless-store.ts";
import { card, clicks, says, whispers } from "../../support/speak.ts";
import { createStalls } from "../../support/stalls.ts";
import type { World } from "../../support/world.ts";

const drain = { graceMs: 50, goodbyeMs: 50 };

/** A town whose bot stops at a point of its way, loses the key, and is killed. */
async function keylessTown(): Promise<{
  town: World;
  stalls: ReturnType<typeof createStalls>;
  die: () => Promise<void>;
}> {
  const keyless = keylessStore();
  const stalls = createStalls();
  const store: typeof keyless.wrap = (real) => stalls.store(keyless.wrap(real));
  const town = await approvalTown({ drain, via: stalls.via, store });
  return {
    town,
    stalls,
    async die() {
      await town.until(stalls.isReached);
      stalls.clear();
      keyless.loseKey();
      await town.crashBot();
      await town.settled();
    },
  };
}

/** What a sweep finds to do, and what went wrong in it. */
async function troubleIn(town: World): Promise<readonly unknown[]> {
  const before = town.logged().length;
  await town.sweep();
  await town.sweep();
  return town
    .logged()
    .slice(before)
    .filter(({ level }) => Number(level) >= 40);
}

test("what was approved is not sent when it cannot be read any more, and the card says why", async () => {
  const keyless = keylessStore();
  await using town = await approvalTown({ store: keyless.wrap });
  await says(town, town.developer, "/gantry restart web");
  keyless.loseKey();

  await clicks(town, town.approver, "Approve");

  expect(count(town, "restartService")).toBe(0);
  expect(card(town.developer)).toMatch(/its encryption key is gone/u);
  expect(await troubleIn(town)).toEqual([]);
});

test("what was sent and cannot be read back for want of the key is unknown, for good", async () => {
  const { town, stalls, die } = await keylessTown();
  await using _town = town;
  stalls.at("updateService", "after");
  await town.developer.says("/gantry scale web 3");

  await die();

  expect(count(town, "updateService")).toBe(1);
  expect(card(town.developer)).toMatch(/the stored request can't be opened any more/u);
  expect(await troubleIn(town)).toEqual([]);
});

test("what was done stays done: without the key nobody follows its health, and nobody is told of an error", async () => {
  const { town, stalls, die } = await keylessTown();
  await using _town = town;
  stalls.at("observe", "before");
  await town.developer.says("/gantry scale web 3");

  await die();

  expect(card(town.developer)).toMatch(/🟡 web scaled to 3, health unknown.*instances 2 → 3/isu);
  expect(whispers(town.developer)).toEqual([]);
  expect(await troubleIn(town)).toEqual([]);
});

test("an Undo without the key says that it cannot be taken back by the button", async () => {
  const keyless = keylessStore();
  await using town = await approvalTown({ store: keyless.wrap });
  await says(town, town.developer, "/gantry scale web 3");
  keyless.loseKey();

  await clicks(town, town.developer, "Undo");

  expect(whispers(town.developer).at(-1)).toMatch(/Couldn't undo request.*encryption key is gone/su);
});

test("what was done long ago is not followed any more, and costs no call", async () => {
  const stalls = createStalls();
  await using town = await approvalTown({ drain, via: stalls.via, store: stalls.store });
  stalls.at("observe", "before");
  await town.developer.says("/gantry scale web 3");
  await town.until(stalls.isReached);
  stalls.clear();
  const calls = town.calls().length;

  town.passMinutes(31);
  await town.crashBot();
  await town.settled();
  await town.sweep();

  expect(town.calls()).toHaveLength(calls);
  expect(card(town.developer)).toMatch(/🟡 web scaled to 3, health unknown.*instances 2 → 3/isu);
  town.passMinutes(60);
  expect(await town.store().takeDue({ kind: "change", leaseMs: 0, most: 1 })).toEqual([]);
});

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { restoreBackup, takeBackup } from "../../../src/bot/compose/data/backup.ts";
import type { Store } from "../../../src/bot/store/store.ts";
import { approvalTown, count } from "../../support/approval-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { card, clicks, says, whispers } from "../../support/speak.ts";
import { pointOf, type StorePoint } from "../../support/store-point.ts";
import type { World } from "../../support/world.ts";

type Moment = "before" | "after";

/** A town of which a backup is taken, while the bot works, at a point of its way. */
async function townWithBackup(what: StorePoint, moment: Moment, policy?: string) {
  const folder = mkdtempSync(join(tmpdir(), "gantry-backup-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "backup.sqlite");
  let isDue = false;
  const town: World = await approvalTown({
    ...(policy !== undefined && { policy }),
    store(real) {
      const observed = Object.entries(real).map(([name, work]) => [
        name,
        typeof work === "function"
          ? async (...args: readonly unknown[]) => {
              const isHere = isDue && pointOf(name as keyof Store, args) === what; // a name of the store's own
              if (isHere) isDue = false;
              if (isHere && moment === "before") await take();
              const result: unknown = await Reflect.apply(work, undefined, args);
              if (isHere && moment === "after") await take();
              return result;
            }
          : work,
      ]);
      const { isOpen, trouble, close } = real;
      return { ...Object.fromEntries(observed), isOpen, trouble, close } as Store; // the same names as before
    },
  });
  const settings = { store: { kind: "sqlite" }, dataDir: town.dataDir, keys: town.keys } as const; // a literal kind
  const take = async (): Promise<void> => void (await takeBackup(settings, { file, now: town.now() }));
  return {
    town,
    file,
    begin: () => void (isDue = true),
    isTaken: () => !isDue,
    restore: async (): Promise<void> => {
      await town.stopBot();
      restoreBackup(settings, { file, isForced: true, now: town.now() });
      await town.restartBot();
      await town.settled();
      // What it would send again, it would send now.
      await town.sweep();
      await town.settled();
      town.passMinutes(15);
      await town.sweep();
      await town.settled();
    },
  };
}

test.each([
  ["the command had come in", "accept", "after"],
  ["the command was read", "impliedFor", "before"],
  ["the request was about to be stored", "insertChange", "before"],
  ["the request was stored", "insertChange", "after"],
  ["it was about to be claimed", "claim", "before"],
  ["it was claimed", "claim", "after"],
  ["it was about to be settled", "succeed", "before"],
  ["it was done, and looked after", "succeed", "after"],
] as const)("restored from a backup of when %s: it isn't sent again", async (_title, what, moment) => {
  const { town, begin, isTaken, restore } = await townWithBackup(what, moment, openPolicy);
  await using _town = town;
  begin();
  await says(town, town.developer, "/gantry restart web");
  await town.settled();
  expect(count(town, "restartService")).toBe(1);
  expect(isTaken()).toBe(true);

  await restore();

  expect(count(town, "restartService")).toBe(1);
  const told = [card(town.developer), ...whispers(town.developer)].join("\n");
  if (what !== "succeed" || moment === "before") expect(told).toMatch(/restored from a backup/u);
});

test("a request that waited for its approval, and ran after the backup, can't be approved again", async () => {
  const { town, file, begin, restore } = await townWithBackup("insertChange", "after");
  await using _town = town;
  begin();
  await says(town, town.developer, "/gantry restart web");
  await clicks(town, town.approver, "Approve");
  expect(count(town, "restartService")).toBe(1);

  await restore();
  const id = (await town.store().history({ teamId: "T0PLAYGR", limit: 20 })).find(({ changeId }) => changeId)?.changeId;
  await says(town, town.approver, `/gantry approve ${id}`);
  await town.settled();

  expect(count(town, "restartService")).toBe(1);
  expect(await town.store().find({ id: id ?? "" })).toMatchObject({ state: "unknown" });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { createSealer, newKey, readKeyring } from "../../../../src/bot/accounts/seal.ts";
import { restoreBackup, takeBackup } from "../../../../src/bot/compose/data/backup.ts";
import { approvedChange, event } from "../../store/contract/bench.ts";
import { folder, open } from "../../store/support/sqlite-folder.ts";

const key = newKey();
const sealer = createSealer(readKeyring(key));
const now = new Date("2026-11-26T10:00:00Z");

function settingsOf(dataDir: string) {
  return { store: { kind: "sqlite" }, dataDir, keys: key } as const; // a literal kind
}

/** A folder with a request that runs, and a backup of it that was taken meanwhile. */
async function withBackup() {
  const dir = folder();
  const store = await open(dir, sealer);
  await store.addChange({ ...approvedChange("AAA111"), reason: "typed reason" }, event("requested"));
  await store.claim("AAA111", event("claimed"));
  const file = join(dir, "backup.sqlite");
  const says = await takeBackup(settingsOf(dir), { file, now });
  return { dir, store, file, says };
}

test("a backup is one file for its owner alone, in which nothing is unsealed", async () => {
  const { dir, file, says } = await withBackup();

  expect(says).toContain("keep GANTRY_KEYS too, in another place");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir).filter((name) => name.startsWith("backup"))).toEqual(["backup.sqlite"]);
  expect(readFileSync(file).includes("typed reason")).toBe(false);
  await expect(takeBackup(settingsOf(dir), { file, now })).rejects.toThrow(/exists already.*Nothing was written/u);
});

test("a restored backup has what was there, each request that was open ends as unknown, and it is said once", async () => {
  const { file } = await withBackup();
  const dir = folder();

  expect(restoreBackup(settingsOf(dir), { file, isForced: false, now })).toMatch(/^Restored the backup of 20\d\d-/u);
  const store = await open(dir, sealer);

  expect(await store.findChange("AAA111")).toMatchObject({
    state: "unknown",
    reason: "typed reason",
    ending: { outcome: { kind: "unknown", why: expect.stringMatching(/restored from a backup of 20\d\d/u) } },
  });
  expect(await store.openChanges()).toEqual([]);
  await store.close();
  const again = await open(dir, sealer);
  const kinds = (await again.history({ teamId: "T1", limit: 9 })).map(({ kind }) => kind);
  expect(kinds).toEqual(["unknown", "claimed", "requested"]);
});

test("the copy alone, put in place by hand, is known as a backup too", async () => {
  const { file } = await withBackup();
  const dir = folder();
  await (await open(dir, sealer)).close();
  writeFileSync(join(dir, "gantry.sqlite"), readFileSync(file));

  expect(await (await open(dir, sealer)).findChange("AAA111")).toMatchObject({ state: "unknown" });
});

test("a restore refuses while Gantry runs, and over data; with force the data is kept", async () => {
  const { dir, store, file } = await withBackup();

  const restore = (isForced: boolean) => () => restoreBackup(settingsOf(dir), { file, isForced, now });
  expect(restore(true)).toThrow(/A Gantry runs with .*Stop it first. Nothing was changed/u);
  await store.close();
  expect(restore(false)).toThrow(/There is data in .*--force/u);
  expect(restore(true)()).toContain("gantry.sqlite.before-2026-11-26T10-00-00-000Z");
  expect(existsSync(join(dir, "gantry.sqlite.before-2026-11-26T10-00-00-000Z"))).toBe(true);
  expect(statSync(join(dir, "gantry.sqlite")).mode & 0o777).toBe(0o600);
});

test.each([
  [
    "no backup",
    (file: string) => writeFileSync(file, "not a database, but long enough to be taken for one"),
    /can't be restored/u,
  ],
  ["cut off", (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 9_000)), /can't be restored/u],
  [
    "of a newer Gantry",
    (file: string) => {
      const db = new DatabaseSync(file);
      db.exec("insert into migration values (99, 'of tomorrow', '2027')");
      db.close();
    },
    /a newer Gantry wrote it \(schema 99/u,
  ],
])("a file that is %s is refused, and nothing is changed", async (_what, spoil, says) => {
  const { file } = await withBackup();
  spoil(file);
  const dir = folder();

  expect(() => restoreBackup(settingsOf(dir), { file, isForced: true, now })).toThrow(says);
  expect(existsSync(dir)).toBe(false);
});

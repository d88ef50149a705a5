import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { createSealer, newKey, readKeyring } from "../../../../src/bot/accounts/seal.ts";
import { restoreBackup, takeBackup } from "../../../../src/bot/compose/data/backup.ts";
import { openKeyring } from "../../../../src/bot/compose/keys.ts";
import { runToEnd } from "../../../support/gantry-runs.ts";
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

test("restored without its key: the restore and the start say so, and no new key is created", async () => {
  const { file } = await withBackup();
  const settings = { store: { kind: "sqlite" }, dataDir: folder(), keys: undefined } as const; // a literal kind
  const says = restoreBackup(settings, { file, isForced: false, now });

  expect(says).toContain(
    `Its key is missing. Before you start Gantry, put gantry.key into ${settings.dataDir}, or set GANTRY_KEYS.`,
  );
  expect(() => openKeyring(settings)).toThrow(
    /^Gantry wasn't started\. The key of .*gantry\.sqlite is missing\. Put gantry\.key into/u,
  );
  expect(readdirSync(settings.dataDir)).not.toContain("gantry.key");
  writeFileSync(join(settings.dataDir, "gantry.key"), key);
  expect(createSealer(openKeyring(settings)).keyIds).toEqual(sealer.keyIds);
  expect(restoreBackup(settings, { file, isForced: true, now })).not.toContain("gantry.key");
});

test("while the database is away, a restore and a start say what to check, without a stack", async () => {
  const env = { DATABASE_URL: "postgres://gantry@127.0.0.1:9/gantry", GANTRY_KEYS: key, GANTRY_DATA: folder() };
  const sentence =
    "The database can't be used: it can't be reached (ECONNREFUSED). Check the database and its disk, and DATABASE_URL or GANTRY_DATA.\n";

  expect(await runToEnd("main.ts", ["restore", "--mark", "2026-11-26T03:00:00Z"], env)).toEqual({
    code: 1,
    out: "",
    err: sentence,
  });
  expect(await runToEnd("main.ts", [], env)).toMatchObject({
    code: 1,
    err: `Gantry wasn't started. ${sentence}`,
  });
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

test("a restore that can't write its file says so without a stack, and keeps the data", async () => {
  const { dir, store, file } = await withBackup();
  await store.close();
  mkdirSync(join(dir, "gantry.sqlite.restoring"));

  expect(() => restoreBackup(settingsOf(dir), { file, isForced: true, now })).toThrow(
    /^Couldn't write .*gantry\.sqlite\.restoring: .*\. Check the disk of .*\. Nothing was changed\.$/u,
  );
  expect(readdirSync(dir).filter((name) => /before|restoring/u.test(name))).toEqual(["gantry.sqlite.restoring"]);
});

test("a folder in the way of a backup is left alone", async () => {
  const { dir } = await withBackup();
  const file = join(dir, "next.sqlite");
  mkdirSync(`${file}.partial`);

  await expect(takeBackup(settingsOf(dir), { file, now })).rejects.toThrow(
    /^Couldn't write .*\. No backup was made\.$/u,
  );
  expect(readdirSync(dir).filter((name) => name.startsWith("next"))).toEqual(["next.sqlite.partial"]);
});

test.each([
  [
    "no backup",
    (file: string) => writeFileSync(file, "not a database, but long enough to be taken for one"),
    /can't be restored/u,
  ],
  ["a folder", (file: string) => (rmSync(file), mkdirSync(file)), /can't be restored: it is a folder\. Nothing/u],
  ["empty", (file: string) => writeFileSync(file, ""), /can't be restored: it isn't a Gantry database\. Nothing/u],
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

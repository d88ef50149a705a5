import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSealer, newKey, readKeyring } from "../../../../src/bot/accounts/seal.ts";
import { erasePersonNow, exportPerson, listKeys, resealNow } from "../../../../src/bot/compose/data/person.ts";
import { addKey, configuredKeyring } from "../../../../src/bot/compose/keys.ts";
import { ann, approvedChange, event, pendingChange, terms } from "../../store/contract/bench.ts";
import { report } from "../../health/healthy-facts.ts";
import { folder, open } from "../../store/support/sqlite-folder.ts";

/** A Gantry that runs, with its key in a file. */
async function running() {
  const dataDir = folder();
  const key = newKey();
  const store = await open(dataDir, createSealer(readKeyring(key)));
  writeFileSync(join(dataDir, "gantry.key"), `${key}\n`, { mode: 0o600 });
  return { store, settings: { store: { kind: "sqlite" }, dataDir, keys: undefined } as const }; // a literal kind
}

test("beside a Gantry that runs, a person is exported and erased, and nothing of theirs is left in the file", async () => {
  const { store, settings } = await running();
  const who = { userId: "U0DANA", name: "Danaë Quillfeather" };
  await store.addChange(pendingChange("AAA111", { requester: who }), event("requested", { who }));

  await expect(erasePersonNow(settings, "U0DANA")).rejects.toThrow(/A request of U0DANA is open.*Nothing was erased/u);
  await store.cancel("AAA111", who, event("cancelled", { who }));
  expect(JSON.parse(await exportPerson(settings, "U0DANA"))).toMatchObject({
    type: "gantry-person",
    userId: "U0DANA",
    rows: { change: [{ reason: "the sale begins" }], event: [{ kind: "requested" }, { kind: "cancelled" }] },
  });
  expect(await erasePersonNow(settings, "U0DANA")).toMatch(
    /^Erased U0DANA. Events changed: 2, requests: 1. In their place is erased-/u,
  );

  const [newest] = await store.history({ teamId: "T1", limit: 1 });
  expect(newest).toMatchObject({ kind: "erased", result: expect.stringMatching(/^erased-.{10}$/u), who: undefined });
  // Nothing of theirs is left, so the ID is as unknown as a mistyped one.
  await expect(erasePersonNow(settings, "U0DANA")).rejects.toThrow(
    /^Nothing is stored about U0DANA\. Check the ID\. Nothing was changed\.$/u,
  );
  expect((await store.history({ teamId: "T1", limit: 9 })).filter(({ kind }) => kind === "erased")).toHaveLength(1);

  await store.addEvent(event("bound", { who: ann }));
  await store.close();
  const file = readFileSync(join(settings.dataDir, "gantry.sqlite")).toString("utf8");
  expect(file).not.toMatch(/Quillfeather|U0DANA/u);
});

test("somebody is known by a setting, or by a request of another person that names them", async () => {
  const { store, settings } = await running();
  await store.setRegion("T1", "U0DANA", "us");
  const from = { users: ["U0GWEN"], groups: [], channelMembers: false };
  await store.addChange(pendingChange("AAA111", { terms: { ...terms, from } }), event("requested"));
  await store.cancel("AAA111", ann, event("cancelled"));

  expect(await erasePersonNow(settings, "U0DANA")).toMatch(/^Erased U0DANA\. Events changed: 0, requests: 0\./u);
  expect(await store.history({ teamId: "T1", limit: 1 })).toMatchObject([{ kind: "erased" }]);
  expect(await erasePersonNow(settings, "U0GWEN")).toMatch(/^Erased U0GWEN\. Events changed: 0, requests: 0\./u);
  await expect(erasePersonNow(settings, "U0GWEN")).rejects.toThrow(/^Nothing is stored about U0GWEN/u);
});

test("a key is added, everything is sealed with it, and the old one is known to be free", async () => {
  const { store, settings } = await running();
  await store.addChange(approvedChange("AAA111"), event("requested"));
  const [oldId = ""] = createSealer(keyringOf(settings)).keyIds;

  expect(addKey(settings, "gantry keys reseal")).toMatch(
    /^Put the key k[0-9a-f]{8} in front of .*gantry\.key\. Restart Gantry, then run gantry keys reseal\./u,
  );
  expect(statSync(join(settings.dataDir, "gantry.key")).mode & 0o777).toBe(0o600);
  const [newId = ""] = createSealer(keyringOf(settings)).keyIds;
  expect(newId).not.toBe(oldId);
  expect(await resealNow(settings)).toMatch(new RegExp(`^Sealed [1-9]\\d* values with ${newId}\\.`, "u"));
  expect(await resealNow(settings)).toMatch(new RegExp(`^Sealed 0 values with ${newId}\\.`, "u"));
  expect(await listKeys(settings)).toContain(`${oldId}  opens  0 values: can be removed`);
});

test("reseal and erase refuse while a running Gantry lacks the new key", async () => {
  const { store, settings } = await running();
  await store.addChange(approvedChange("AAA111"), event("requested"));
  const [oldId = ""] = createSealer(keyringOf(settings)).keyIds;
  await store.beat({ ...report, host: "host-a", keyIds: [oldId] });
  addKey(settings, "gantry keys reseal");
  const [newId = ""] = createSealer(keyringOf(settings)).keyIds;

  await expect(resealNow(settings)).rejects.toThrow(
    `Gantry runs without the key ${newId} on host-a. Restart it there, wait 20 s, and try again. Nothing was changed.`,
  );
  await expect(erasePersonNow(settings, "U0DANA")).rejects.toThrow(
    `Gantry runs without the key ${newId} on host-a. Restart it there, wait 20 s, and try again. Nothing was erased.`,
  );
  await store.beat({ ...report, host: "host-a", keyIds: [newId, oldId] });
  expect(await resealNow(settings)).toContain(`with ${newId}.`);
});

test("without a key file, adding a key says so and creates none", async () => {
  const settings = { store: { kind: "sqlite" }, dataDir: folder(), keys: undefined } as const; // a literal kind
  mkdirSync(settings.dataDir, { recursive: true });

  expect(() => addKey(settings, "gantry keys reseal")).toThrow(
    /^Couldn't add a key to .*gantry\.key: ENOENT.*Nothing was changed\.$/u,
  );
  expect(readdirSync(settings.dataDir)).toEqual([]);
});

test("a key that can't be added leaves the file as it is, and what is in its way", async () => {
  const { settings } = await running();
  const path = join(settings.dataDir, "gantry.key");
  const add = () => addKey(settings, "gantry keys reseal");
  const before = readFileSync(path, "utf8");
  mkdirSync(`${path}.partial`);

  expect(add).toThrow(/^Couldn't add a key to .*gantry\.key: .*[^.]\. Nothing was changed\.$/u);
  expect(readFileSync(path, "utf8")).toBe(before);
  expect(readdirSync(settings.dataDir)).toContain("gantry.key.partial");
  writeFileSync(path, "k1:short");
  expect(add).toThrow(/isn't 32 bytes in base64\. .*[^.]\. Nothing was changed\.$/u);
});

function keyringOf(settings: Parameters<typeof configuredKeyring>[0]) {
  const keyring = configuredKeyring(settings);
  if ("problem" in keyring) throw new Error(keyring.problem);
  return keyring.keys;
}

test("without a database or keys, it says what is missing", async () => {
  const dataDir = folder();
  const settings = { store: { kind: "sqlite" }, dataDir, keys: undefined } as const; // a literal kind

  await expect(async () => exportPerson(settings, "U0DANA")).rejects.toThrow(
    /^There is no database at .*gantry\.sqlite: check GANTRY_DATA\. Nothing was changed\.$/u,
  );
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(join(dataDir, "gantry.key"), newKey());
  await expect(async () => exportPerson(settings, "U0DANA")).rejects.toThrow(/There is no database at .*GANTRY_DATA/u);
  writeFileSync(join(dataDir, "gantry.sqlite"), "");
  rmSync(join(dataDir, "gantry.key"));
  await expect(async () => exportPerson(settings, "U0DANA")).rejects.toThrow(
    /^The key of .*gantry\.sqlite is missing: put .*gantry\.key back, or set GANTRY_KEYS\. Nothing was changed\.$/u,
  );
});

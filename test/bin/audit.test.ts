import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { createSealer, newKey, readKeyring } from "../../src/bot/accounts/seal.ts";
import { openStore } from "../../src/bot/store/open-store.ts";
import { event } from "../bot/store/contract/bench.ts";
import { inherited } from "../support/gantry-process.ts";
import { runToEnd } from "../support/gantry-runs.ts";

const audit = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  runToEnd("bin/audit.ts", args, { GANTRY_ENV_FILE: "/nowhere", ...env });

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "gantry-audit-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test("an auditor gets an export of a Gantry that runs, and checks it without it", async () => {
  const dir = folder();
  const key = newKey();
  const log = pino({ level: "silent" });
  const store = await openStore({
    kind: "sqlite",
    dataDir: dir,
    replicaId: "a",
    log,
    sealer: createSealer(readKeyring(key)),
  });
  onTestFinished(store.close);
  for (const teamId of ["T1", "T2", "T1"])
    await store.addEvent(event("bound", { teamId, result: `typed in ${teamId}` }));
  await store.sealHistory();
  const env = { GANTRY_DATA: dir, GANTRY_KEYS: key };
  const file = join(dir, "all.ndjson");

  const [exported, database, ofTeam] = await Promise.all([
    audit(["export", "--out", file], env),
    audit(["verify"], env),
    audit(["export", "--team", "T2"], env),
  ]);

  expect(exported).toEqual({ code: 0, out: "", err: "" });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(database).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Events 1 to 3 are intact\.\nPublic key: \S+\n$/u),
  });
  const lines = readFileSync(file, "utf8");
  expect(lines).toContain("typed in T1");
  expect(ofTeam.out).toContain("typed in T2");
  expect(ofTeam.out).not.toContain("typed in T1");

  const changed = join(dir, "changed.ndjson");
  writeFileSync(changed, lines.replace("typed in T2", "typed in T9"));
  const publicKey = database.out.split("Public key: ")[1]?.trim() ?? "";
  const elsewhere = { GANTRY_DATA: folder() };
  const lost = join(dir, "no-such-folder", "all.ndjson");
  const [ours, named, unproven, other, dashed, broken, twice, nowhere] = await Promise.all([
    audit(["verify", file], { GANTRY_DATA: folder(), GANTRY_KEYS: key }),
    audit(["verify", file, "--public-key", publicKey], elsewhere),
    audit(["verify", file], elsewhere),
    audit(["verify", file, "--public-key", "another"], elsewhere),
    audit(["verify", file, "--public-key", `-${"A".repeat(42)}`], elsewhere),
    audit(["verify", changed], elsewhere),
    audit(["export", "--out", file], env),
    audit(["export", "--out", lost], env),
  ]);

  expect(ours).toMatchObject({ code: 0, out: expect.stringContaining("3 events are intact, up to event 3") });
  expect(named).toMatchObject({ code: 0, out: expect.stringContaining("signed with the key you named") });
  expect(unproven).toMatchObject({ code: 2, out: expect.stringContaining("nothing proves who signed it") });
  for (const each of [other, dashed]) {
    expect(each).toMatchObject({ code: 1, out: expect.stringContaining("signed with another key") });
  }
  expect(broken).toMatchObject({
    code: 1,
    out: "Event 2 was changed. The events before it are as they were exported.\n",
  });
  expect(twice).toMatchObject({ code: 2, err: expect.stringContaining("exists already") });
  expect(readFileSync(file, "utf8")).toBe(lines);
  expect(nowhere).toEqual({
    code: 2,
    out: "",
    err: `Couldn't write ${lost}: its folder doesn't exist (ENOENT). Nothing was exported. Name another file with --out.\n`,
  });
});

test("an export that can't be finished leaves no file", async () => {
  const dir = folder();
  const key = newKey();
  const log = pino({ level: "silent" });
  const store = await openStore({ kind: "sqlite", dataDir: dir, replicaId: "a", log });
  await store.close();
  const file = join(dir, "all.ndjson");

  const ended = await audit(["export", "--out", file], { GANTRY_DATA: dir, GANTRY_KEYS: key });

  expect(ended).toMatchObject({ code: 2, err: expect.stringContaining("There is no chain yet") });
  expect(existsSync(file)).toBe(false);
});

test("an export that nobody reads to its end says that it isn't complete, and blames no database", async () => {
  const dir = folder();
  const key = newKey();
  const sealer = createSealer(readKeyring(key));
  const log = pino({ level: "silent" });
  const store = await openStore({ kind: "sqlite", dataDir: dir, replicaId: "a", log, sealer });
  await store.addEvent(event("bound", { teamId: "T1" }));
  await store.sealHistory();
  await store.close();
  const child = spawn(process.execPath, [resolve(import.meta.dirname, "../../src/bin/audit.ts"), "export"], {
    env: { ...inherited, GANTRY_ENV_FILE: "/nowhere", GANTRY_DATA: dir, GANTRY_KEYS: key },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();

  const [err, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);

  expect({ code, err }).toEqual({
    code: 2,
    err: "The export isn't complete: the program that read it has ended (EPIPE). Export to a file with --out.\n",
  });
});

test("what it can't do it says in a sentence, and changes nothing", async () => {
  const env = { GANTRY_DATA: folder(), GANTRY_KEYS: newKey() };
  const [nothing, noFile, wrongTime, turnedRound, noTime, noExport, wrongWord] = await Promise.all([
    audit(["verify"], env),
    audit(["verify", "/nowhere/at.all"], env),
    audit(["export", "--from", "yesterday"], env),
    audit(["export", "--from", "2026-11-28", "--to", "2026-11-01"], env),
    audit(["export", "--from", "2026-11-28", "--to", "2026-11-28"], env),
    audit(["verify", "--public-key", "a key"], env),
    audit(["repair"], env),
  ]);

  expect(nothing).toMatchObject({ code: 2, err: expect.stringContaining("There is no database at") });
  expect(noFile).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^Couldn't read \/nowhere\/at\.all: there is no such file \(ENOENT\)\. Name a file/u),
  });
  expect(wrongTime).toMatchObject({
    code: 2,
    err: expect.stringContaining("--from must be a day or a time with a zone"),
  });
  expect(turnedRound).toMatchObject({
    code: 2,
    out: "",
    err: expect.stringMatching(
      /^--from \(2026-11-28T\S+\) must be before --to \(2026-11-01T\S+\)\. Nothing was exported\./u,
    ),
  });
  expect(noTime).toMatchObject({ code: 2, err: expect.stringContaining("must be before --to (2026-11-28T") });
  expect(noExport).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^--public-key is for an export: name its FILE\./u),
  });
  expect(wrongWord).toMatchObject({ code: 2, err: expect.stringContaining("Use export or verify") });
});

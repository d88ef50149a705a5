import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSealer, newKey, readKeyring } from "../../../../src/bot/accounts/seal.ts";
import { event, pendingChange } from "../../store/contract/bench.ts";
import { machineClock } from "../../../../src/platform/clock.ts";
import { defaultPolicy } from "../../../../src/bot/policy/read-policy.ts";
import { doctor } from "../../../../src/bot/compose/health/doctor.ts";
import { doctorText } from "../../../../src/bot/health/checkup.ts";
import type { Finding } from "../../../../src/bot/health/finding.ts";
import { testClock } from "../../../support/test-clock.ts";
import { world, type World } from "../../../support/world.ts";

let town: World;
let empty: string;
beforeEach(async () => {
  // The doctor is another process, with this machine's time.
  town = await world({ clock: testClock(machineClock.now()) });
  empty = mkdtempSync(join(tmpdir(), "gantry-doctor-"));
});
afterEach(async () => {
  await town.close();
  rmSync(empty, { recursive: true, force: true });
});

/** The environment of the running bot, as another process on its machine has it. */
const env = (): Record<string, string> => ({
  GANTRY_DATA: town.dataDir,
  GANTRY_KEYS: town.keys,
  SLACK_BOT_TOKEN: town.botToken,
  SLACK_SIGNING_SECRET: town.signingSecret,
  SLACK_API_URL: `${town.playgroundUrl}/api/`,
  GANTRY_EMBEDDED_SERVICE_WITH_SLACK: "allow",
});

const says = (findings: readonly Finding[]): string =>
  findings.map((each) => `${each.state} ${each.says}${each.state === "ok" ? "" : ` → ${each.todo}`}`).join("\n");

test("next to a running bot it is well, and the bot's folder stays the bot's", async () => {
  await town.developer.says("/gantry list");
  await town.settled();
  await town.sweep();

  const findings = await doctor(env());

  expect(says(findings.filter(({ state }) => state !== "ok"))).toBe("");
  expect(says(findings)).toMatch(/^ok Last from Slack: command \d+s ago$/mu);
  expect(says(findings)).toContain("ok 1 live replica");
  expect(says(findings)).not.toContain(town.botToken);
  await town.developer.says("/gantry list");
  await town.settled();
});

test.each<[string, Record<string, string>, string]>([
  ["another app's token", { SLACK_BOT_TOKEN: "xoxb-wrong" }, "broken Slack rejected the bot token (invalid_auth)"],
  [
    "a Slack that isn't there",
    { SLACK_API_URL: "http://127.0.0.1:9/api/" },
    "broken Slack didn't answer the check: it can't be reached",
  ],
  ["keys of another deployment", { GANTRY_KEYS: newKey() }, "Stored requests (1) were sealed with the key"],
  ["keys that are no keys", { GANTRY_KEYS: "k1:short" }, "broken The keys in GANTRY_KEYS can't be used"],
  [
    "a workload API that isn't there",
    { WORKLOAD_API_URL: "http://127.0.0.1:9", WORKLOAD_API_USERNAME: "a", WORKLOAD_API_TOKEN: "b" },
    "→ Check WORKLOAD_API_URL, and that the workload API runs.",
  ],
  [
    "a database that isn't there",
    { DATABASE_URL: "postgres://127.0.0.1:9/x" },
    "broken The database can't be used: it can't be reached",
  ],
  ["a policy file that isn't there", { GANTRY_POLICY: "/nowhere/policy.yaml" }, "policy.yaml can't be read (ENOENT)"],
  [
    "a file of watches that isn't there",
    { GANTRY_WATCHES: "/nowhere/watches.yaml" },
    "warning watches.yaml, line 1: Couldn't read the file (ENOENT)",
  ],
  ["a setting that is wrong", { PORT: "many" }, "broken PORT must be"],
])("with %s it says so", async (_, wrong, expected) => {
  await town
    .store()
    .insertChange(
      pendingChange("AAA111", { sealed: createSealer(readKeyring(town.keys)).seal("{}", ["change", "AAA111"]) }),
      event("requested"),
    );

  expect(says(await doctor({ ...env(), ...wrong }))).toContain(expected);
});

test("a Gantry that runs with another policy than these settings name is asked which one", async () => {
  await town.developer.says("/gantry list");
  await town.settled();
  await town.sweep();
  const file = join(empty, "policy.yaml");
  writeFileSync(file, "rules:\n  - name: look\n    who: members\n    does: read\n    then: allow\n");

  const told = says(await doctor({ ...env(), GANTRY_POLICY: file }));

  expect(told).toMatch(
    new RegExp(`^warning Policy: \\S+ uses ${defaultPolicy.source}, \\d+ rules; here it is ${file}, 1 rule → `, "mu"),
  );
  expect(says(await doctor(env()))).toContain(`ok Policy: ${defaultPolicy.source}, `);
});

test("where Gantry doesn't run it says so, and makes no files", async () => {
  const findings = await doctor({ GANTRY_DATA: empty });

  expect(says(findings)).toContain("warning There is no database at");
  expect(says(findings)).toContain("broken Gantry isn't running: no replica is alive → Start Gantry.");
  writeFileSync(join(empty, "gantry.sqlite"), "this is no database at all, but a text");
  expect(says(await doctor({ GANTRY_DATA: empty }))).toContain("broken The database can't be used");
});

test("a Gantry that runs while no heartbeat is stored isn't reported as stopped", async () => {
  await town.developer.says("/gantry list");
  await town.settled();
  await town.sweep();
  const file = new DatabaseSync(join(town.dataDir, "gantry.sqlite"));
  file.exec(`update replica set alive_until = '${new Date(Date.now() - 180_000).toISOString()}'`);
  file.close();

  const told = says(await doctor(env()));

  expect(told).not.toContain("isn't running");
  expect(told).toMatch(
    /^broken \S.* has stored no heartbeat for 3m: it was killed, or the database stores nothing → /mu,
  );
});

test("a database that can only be read: the doctor says it, and doesn't call Gantry stopped", async () => {
  const file = join(empty, "gantry.sqlite");
  const original = new DatabaseSync(join(town.dataDir, "gantry.sqlite"));
  original.exec(`vacuum into '${file}'`);
  original.close();
  const copy = new DatabaseSync(file);
  copy.exec("delete from replica");
  copy.close();
  const bytes = readFileSync(file);
  // The versions for writers and readers: SQLite knows 2, WAL, and only reads a file with a higher one for writers,
  // https://sqlite.org/fileformat.html
  bytes.set([3, 2], 18);
  writeFileSync(file, bytes);

  const told = says(await doctor({ ...env(), GANTRY_DATA: empty }));

  expect(told).toMatch(/^broken SQLite \S+ stores no requests: it is read-only → Check the disk and the rights of/mu);
  expect(told).toContain("warning Can't tell whether Gantry is running: the database can't store its heartbeat");
  expect(readFileSync(file)).toEqual(bytes);
});

test("a key file that others can read is a warning", async () => {
  const { GANTRY_KEYS: keys = "", ...others } = env();
  const file = join(town.dataDir, "gantry.key");
  writeFileSync(file, keys);
  chmodSync(file, 0o644);

  expect(says(await doctor(others))).toContain(`warning Other users of this machine can read ${file}`);
});

test("in a terminal: groups, one line for each check, at most 80 columns", () => {
  const text = doctorText(
    [
      { check: "slack.token", area: "Slack", state: "ok", says: "The bot token works: @gantry in Acme" },
      {
        check: "database.answer",
        area: "Database",
        state: "broken",
        says: "The database can't be used: it rejected the user or password in DATABASE_URL (28P01)",
        todo: "Check the database and DATABASE_URL.",
      },
    ],
    { columns: 80, isColoured: false, title: "Gantry 1.0.0" },
  );

  expect(text).toMatchInlineSnapshot(`
    "Gantry 1.0.0

    Slack
      ok       The bot token works: @gantry in Acme

    Database
      broken   The database can't be used: it rejected the user or password in
               DATABASE_URL (28P01)
               → Check the database and DATABASE_URL.

    1 broken, 0 warnings, 1 ok."
  `);
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
});

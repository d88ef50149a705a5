import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { clicks, says, saysIn } from "../../support/speak.ts";
import { type Person, world, type World } from "../../support/world.ts";
import { databaseFile } from "../../../src/bot/store/database/session.ts";

let town: World;
beforeEach(async () => {
  town = await world();
});
afterEach(async () => {
  await town.close();
});

async function asks(who: Person, text = "/gantry status"): Promise<string> {
  return says(town, who, text);
}

test("everybody sees whether each part works, and a workspace admin alone each line", async () => {
  expect(await asks(town.developer)).toMatchInlineSnapshot(`
    "# 🟢 Gantry is working
    🟢 Slack works
    🟢 Workload API works
    🟢 Database works
    🟢 Gantry works
    Workspace admins see the details here.
    [Check again]"
  `);
  expect(await asks(town.guest)).toContain("Gantry is working");

  const details = await asks(town.approver);
  expect(details).toContain("The bot token works: @gantry in Playground");
  expect(details).toMatch(/Last from Slack: command \d+s ago/u);
  expect(details).toMatch(/SQLite [\d.]+ answers in \d+ ms/u);
  expect(details).toContain("1 live replica:");

  // Neither a channel nor a thread reads them.
  const shared = await asks(town.approver, "/gantry status --share");
  expect(shared).toContain("Gantry is working");
  expect(shared).not.toContain("live replica");

  const mentioned = await asks(town.approver, "@gantry are you ok?");
  expect(mentioned).toContain("Gantry is working");
  expect(mentioned).not.toContain("live replica");

  const invited = await saysIn(town, { person: town.developer, channel: "general" }, "/gantry status");
  expect(invited).toContain("Invite me with /invite @gantry");
});

test("while the database is away, status still answers, and says what is wrong", async () => {
  await asks(town.approver);
  await town.store().close();
  town.passMinutes(1);

  const said = await asks(town.approver);

  expect(said).toContain("🔴 Gantry has 1 problem");
  expect(said).toContain("🔴 The database can't be used");
  expect(said).toContain("→ Check the database and DATABASE_URL.");
});

test("a Gantry that answers is running, also while its heartbeat isn't stored", async () => {
  const database = new DatabaseSync(databaseFile(town.dataDir));
  database.exec("delete from replica");
  database.close();

  const said = await asks(town.approver);

  expect(said).toContain("1 live replica:");
  expect(said).not.toContain("isn't running");
});

test("after the token was revoked, status answers, an admin who was known sees what to do, and a button checks again", async () => {
  await asks(town.approver);
  town.playground.faults.tokenError = "token_revoked";
  town.passMinutes(2);

  const said = await asks(town.approver);

  expect(said).toContain("🔴 Slack rejected the bot token (token_revoked)");
  expect(said).toContain("→ Copy the Bot User OAuth Token");
  town.passMinutes(1);
  town.playground.faults.tokenError = "account_inactive";
  expect(await clicks(town, town.approver, "Check again")).toContain("Slack rejected the bot token (account_inactive)");
});

test("an error is in the status, with the reference that its person was shown", async () => {
  town.playground.faults.answer("users.info", { error: "fatal_error" });
  const shown = await asks(town.developer, "/gantry whoami");
  town.playground.faults.clear();

  const said = await asks(town.approver);

  const [, reference = "none"] = /Search the log for ([0-9a-f]{8})\./u.exec(said) ?? [];
  expect(said).toContain("a call to Slack failed (users.info, fatal_error)");
  expect(shown).toContain(reference);
});

test("several people who ask at once cost one call of the workload API", async () => {
  const before = town.calls().length;
  await Promise.all([town.developer, town.approver, town.guest].map((who) => who.says("/gantry status")));
  await town.settled();

  expect(town.calls().slice(before)).toEqual(["listServices"]);
});

test("whoami names the engine of the built-in workload API, and costs no call of it", async () => {
  const told = await asks(town.developer, "/gantry whoami");

  expect(told).toContain(`Engine  Node processes ${process.version}`);
  expect(told).toMatch(/Not supported {2}.*custom domains/su);
  expect(town.calls()).toEqual([]);
});

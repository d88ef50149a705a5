import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { StoreError } from "../../../src/bot/errors.ts";
import { approvedChange, event, ofId } from "./contract/bench.ts";
import { folder, lastReplica, look, open } from "./support/sqlite-folder.ts";

test("the folder is made, for this user alone, and what was stored is there the next time", async () => {
  const dir = folder();
  const first = await open(dir);
  await first.addChange(approvedChange("AAA111"), event("requested"));
  await first.accept({ id: "d1", sealed: "s" });
  await first.close();

  const second = await open(dir);

  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(existsSync(join(dir, "gantry.sqlite"))).toBe(true);
  expect(await second.findChange("AAA111")).toMatchObject({ state: "approved" });
  expect(await second.accept({ id: "d1", sealed: "s" })).toBe(false);
});

test("what a process left behind that was killed is the next one's at once: a folder has one process", async () => {
  const dir = folder();
  const first = await open(dir);
  await first.addChange(approvedChange("AAA111"), event("requested"));
  await first.accept({ id: "d1", sealed: "s" });
  await first.close();
  // Its row would still say that it lives, had it not been stopped in order.
  const db = look(dir);
  await db.insertInto("replica").values({ id: lastReplica(), alive_until: "2999-01-01T00:00:00.000Z" }).execute();

  const second = await open(dir);

  expect(ofId(await second.openChanges())).toEqual(["AAA111"]);
  expect(await second.takeDeliveries()).toMatchObject([{ id: "d1" }]);
});

test("one folder is for one process", async () => {
  const dir = folder();
  const first = await open(dir);

  await expect(open(dir)).rejects.toThrow(/Another Gantry works with .*GANTRY_DATA/u);

  await first.close();
  await open(dir);
});

test("a file that another program holds is a StoreError soon, and fine afterwards", async () => {
  const dir = folder();
  const store = await open(dir);
  const other = look(dir);
  await sql`begin immediate`.execute(other);

  const error = await store.accept({ id: "d1", sealed: "s" }).catch((caught: unknown) => caught);

  expect(error).toBeInstanceOf(StoreError);
  expect(String(error)).toContain("another program has locked it");
  await sql`rollback`.execute(other);
  expect(await store.accept({ id: "d1", sealed: "s" })).toBe(true);
});

test("what is looked for every few seconds is found by an index, however much history there is", async () => {
  const dir = folder();
  await open(dir);
  const plan = async (where: string) => {
    const { rows } = await sql<{
      detail: string;
    }>`explain query plan select id from change where ${sql.raw(where)}`.execute(look(dir));
    return rows.map(({ detail }) => detail).join();
  };

  expect(
    await plan(`(state = 'approved' or state = 'claimed'
    or (state = 'unknown' and settled_at is null) or (state = 'done' and health is null)) and owner = 'x'`),
  ).toContain("change_open");
  expect(await plan("stale = 1 and nowhere = 0 and (drawing_until is null or drawing_until < 'x')")).toContain(
    "change_undrawn",
  );
  expect(await plan("state = 'pending' and expires_at <= 'x'")).toContain("change_pending");
  expect(
    await plan("undo_key = 'x' and state not in ('rejected', 'cancelled', 'expired', 'drifted', 'failed')"),
  ).toContain("change_undo_key");
  expect(await plan("wait_key = 'x' and state = 'pending' and wait_key is not null")).toContain("change_wait_key");
  expect(await plan("state = 'approved' and approved_at <= 'x'")).toContain("change_open");
  expect(await plan("owed_at is not null and owed_at <= 'x'")).toContain("change_owed");
  expect(
    await plan(`(settled_at is null or owed_at is not null) and team_id = 't' and requester_id = 'u'
      and created_at > 'x' order by created_at desc limit 1`),
  ).toContain("change_unanswered");
  expect(await plan("op = 'createJob' and state = 'done' and team_id = 't' order by settled_at desc")).toContain(
    "change_job",
  );
});

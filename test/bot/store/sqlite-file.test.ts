import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { pino } from "pino";
import { expect, test } from "vitest";
import type { Health } from "../../../src/bot/changes/stored-change.ts";
import { StoreError } from "../../../src/bot/errors.ts";
import { ann, approvedChange, done, event, ofId, deliveryOf, takeOne } from "./contract/bench.ts";
import { stillClock } from "../../support/test-clock.ts";
import { until } from "../../support/until.ts";
import { folder, lastReplica, look, open } from "./support/sqlite-folder.ts";

test("the folder is made, for this user alone, and what was stored is there the next time", async () => {
  const dir = folder();
  const first = await open(dir);
  await first.addChange(approvedChange("AAA111"), event("requested"));
  await first.accept(deliveryOf("d1"));
  await first.close();

  const second = await open(dir);

  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(existsSync(join(dir, "gantry.sqlite"))).toBe(true);
  expect(await second.findChange("AAA111")).toMatchObject({ state: "approved" });
  expect(await second.accept(deliveryOf("d1"))).toBeUndefined();
});

test("in a folder that others may read, the database is for this user alone", async () => {
  const dir = folder();
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  const store = await open(dir);
  await store.addChange(approvedChange("AAA111"), event("requested"));

  const files = readdirSync(dir).filter((name) => name.startsWith("gantry.sqlite"));
  expect(files).toContain("gantry.sqlite-wal");
  for (const file of files) expect(statSync(join(dir, file)).mode & 0o077, file).toBe(0);
});

test("our files that others could read are for this user alone after the next start, and files of others stay", async () => {
  const dir = folder();
  mkdirSync(join(dir, "service"), { recursive: true, mode: 0o755 });
  mkdirSync(join(dir, "notes"), { mode: 0o755 });
  const ours = ["gantry.key", "gantry.lock", "gantry.sqlite", "playground.json", "playground-url", "demo-created"];
  for (const name of [...ours, "policy.yaml"]) writeFileSync(join(dir, name), "");
  symlinkSync(join(dir, "policy.yaml"), join(dir, "gantry.sqlite.old"));
  for (const name of [...ours, "policy.yaml"]) chmodSync(join(dir, name), 0o644);

  await open(dir);

  const mode = (name: string): number => statSync(join(dir, name)).mode & 0o777;
  expect(ours.map(mode)).toEqual(ours.map(() => 0o600));
  expect(["service", "notes", "policy.yaml"].map(mode)).toEqual([0o700, 0o755, 0o644]);
});

test("what a process left behind that was killed is the next one's at once: a folder has one process", async () => {
  const dir = folder();
  const first = await open(dir);
  await first.addChange(approvedChange("AAA111"), event("requested"));
  await first.accept(deliveryOf("d1"));
  await first.close();
  // Its row would still say that it lives, had it not been stopped in order.
  const db = look(dir);
  await db.insertInto("replica").values({ id: lastReplica(), alive_until: "2999-01-01T00:00:00.000Z" }).execute();

  const second = await open(dir);

  expect(ofId(await second.openChanges())).toEqual(["AAA111"]);
  expect(await takeOne(second, "delivery")).toMatchObject({ key: "d1" });
});

test("a workspace that goes leaves what is sent at that very moment to whoever sends it", async () => {
  const dir = folder();
  const store = await open(dir);
  for (const id of ["FIRST1", "SECOND"]) await store.addChange(approvedChange(id), event("requested"));
  await sql`create trigger sent after update on change when new.id = 'FIRST1' and new.state = 'cancelled'
    begin update change set state = 'claimed' where id = 'SECOND'; end`.execute(look(dir));

  await store.closeWorkspace({ teamId: "T1", by: ann });

  expect(await store.findChange("SECOND")).toMatchObject({ state: "claimed" });
  expect((await store.openChanges()).map(({ id }) => id)).toEqual(["SECOND"]);
});

test("a healthy way back and the redraw of its deploy's card are stored in one transaction", async () => {
  const dir = folder();
  const store = await open(dir);
  const ends = async (id: string, set: { readonly health?: Health; readonly progress?: Health }): Promise<void> => {
    await store.claim(id, event("claimed"));
    await store.carry(id, "succeed", { outcome: done, ...set }, event("done"));
  };
  await store.addChange(approvedChange("STUCK1"), event("requested"));
  await ends("STUCK1", { health: { kind: "trouble", level: "failing", line: "", excerpt: [] } });
  await store.addChange(approvedChange("BACK22", { undoOf: "STUCK1" }), event("requested"));
  await ends("BACK22", { progress: { kind: "not-yet", level: "busy", line: "", excerpt: [] } });
  await sql`create trigger broken before update on change when old.id = 'STUCK1'
    begin select raise(abort, 'the process is killed here'); end`.execute(look(dir));

  const health = { kind: "reached", level: "healthy", line: "", excerpt: [] } as const; // literal kinds
  const follow = store.carry("BACK22", "follow", { health, isNews: true }, undefined);

  await expect(follow).rejects.toThrow("the process is killed here");
  expect((await store.findChange("BACK22"))?.health).toBeUndefined();
});

test.runIf(process.platform === "linux")("a folder that can't be created ends the start with a sentence", async () => {
  await expect(open("/proc/gantry/data")).rejects.toThrow(
    /^Gantry wasn't started\. It can't create its folder \/proc\/gantry\/data: ENOENT.*set GANTRY_DATA to another one\.$/u,
  );
});

test("one folder is for one process", async () => {
  const dir = folder();
  await open(dir);

  const clock = stillClock();
  const passing = clock.sleeper().then(() => clock.passMs(16_000));

  await expect(open(dir, undefined, { clock })).rejects.toThrow(/Another Gantry works with .*GANTRY_DATA/u);
  await passing;
});

test("a second process waits for the first one to stop, and logs that once", async () => {
  const dir = folder();
  const first = await open(dir);
  const said: string[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => said.push(line) });

  const opening = open(dir, undefined, { log });
  await until(() => said.length > 0);
  await first.close();

  await (await opening).accept(deliveryOf("d1"));
  expect(said).toEqual([expect.stringContaining("waiting up to 15 s for it to end")]);
});

test("a request that only its card answers waits for the disk at its claim, and any other one at once", async () => {
  let waits = 0;
  const dir = folder();
  const onDisk = (): Promise<void> => {
    waits += 1;
    return Promise.resolve();
  };
  const store = await open(dir, undefined, { onDisk });
  const waitsFor = async (work: () => Promise<unknown>): Promise<number> => {
    const before = waits;
    await work();
    return waits - before;
  };

  const told = await waitsFor(() => store.addChange(approvedChange("AAA111"), event("requested")));
  const onCard = { ...approvedChange("BBB222"), endsDelivery: true };
  const shown = await waitsFor(() => store.addChange(onCard, event("requested")));
  const claimed = await waitsFor(() => store.claim("BBB222", event("claimed")));

  expect({ told, shown, claimed }).toEqual({ told: 1, shown: 0, claimed: 1 });
});

test("a file that another program holds is a StoreError soon, and fine afterwards", async () => {
  const dir = folder();
  const store = await open(dir);
  const other = look(dir);
  await sql`begin immediate`.execute(other);

  const error = await store.accept(deliveryOf("d1")).catch((caught: unknown) => caught);

  expect(error).toBeInstanceOf(StoreError);
  expect(String(error)).toContain("another program has locked it");
  await sql`rollback`.execute(other);
  expect(await store.accept(deliveryOf("d1"))).toBeDefined();
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

  expect(await plan("state = 'pending' and team_id = 'x' order by created_at")).toContain("change_pending");
  expect(
    await plan("undo_key = 'x' and state not in ('rejected', 'cancelled', 'expired', 'drifted', 'failed')"),
  ).toContain("change_undo_key");
  expect(await plan("wait_key = 'x' and state = 'pending' and wait_key is not null")).toContain("change_wait_key");
  expect(await plan("settled_at is null and team_id = 't' and requester_id = 'u'")).toContain("change_unsettled");
  expect(
    await plan("(settled_at is null or state = 'done' and health is null) and team_id = 't' and workload_name = 'n'"),
  ).toContain("change_workload");
  expect(await plan("op = 'createJob' and state = 'done' and team_id = 't' order by settled_at desc")).toContain(
    "change_job",
  );
});

import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { machineClock } from "../../../../src/platform/clock.ts";
import { openStore } from "../../../../src/bot/store/open-store.ts";
import { migrations } from "../../../../src/bot/store/schema/migrations.ts";
import { stillClock } from "../../../support/test-clock.ts";
import { report } from "../../health/healthy-facts.ts";
import { olderSchema, schemaBefore } from "../support/older-schema.ts";
import type { Database } from "./bench.ts";

const before = migrations.length - 1;

/** A database as an earlier version left it, with replicas of it that are alive, and how this version starts with it. Its clock stands still. */
export async function olderDatabase(
  { where, db, remove }: Database,
  { at = before, alive = [] }: { readonly at?: number; readonly alive?: readonly string[] },
) {
  onTestFinished(remove);
  await olderSchema(db, where.kind === "postgres" ? "postgres" : "sqlite", at);
  const clock = stillClock(machineClock.now());
  const aliveUntil = (ms: number) => new Date(clock.nowMs() + ms).toISOString();
  for (const id of alive)
    await db
      .insertInto("replica")
      .values({ id, alive_until: aliveUntil(3_600_000) })
      .execute();
  const stopping = new AbortController();
  const said: string[] = [];
  const log = pino({ level: "warn" }, { write: (line) => void said.push(line) });
  return {
    where,
    db,
    clock,
    said,
    aliveUntil,
    stop: () => stopping.abort(),
    /** Resolves to the sentence with which it ended, if it did. */
    start: async (replicaId = "newer"): Promise<string | undefined> => {
      try {
        const store = await openStore({ ...where, replicaId, log, clock, signal: stopping.signal });
        onTestFinished(store.close);
        return undefined;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
    schema: async () => (await db.selectFrom("migration").select("number").execute()).length,
    replicas: async () => (await db.selectFrom("replica").select("id").orderBy("id").execute()).map(({ id }) => id),
  };
}

/** What replicas that share a database see of a newer version that has to change its schema; `fresh` makes an empty one. */
export function upgrades(name: string, fresh: () => Promise<Database>): void {
  describe.each([name])("%s", () => {
    test("changes nothing while older replicas run: after half a minute it ends, and names them", async () => {
      const { start, clock, schema, replicas, db } = await olderDatabase(await fresh(), { alive: ["one", "two"] });
      const said = JSON.stringify({ ...report, host: "gantry-7c9f", version: "0.9.0" });
      await db.updateTable("replica").set({ report: said }).where("id", "=", "one").execute();

      const ended = start();
      await Promise.race([clock.sleeper(), ended]);
      clock.jumpMs(30_000);

      expect(await ended).toBe(
        "Gantry wasn't started. It has to change the database, and replicas of an older version still use it: " +
          "gantry-7c9f (Gantry 0.9.0), two. Nothing was changed. Stop all of them, then start this version.",
      );
      expect(await schema()).toBe(before);
      expect(await replicas()).toEqual(["one", "two"]);
    });

    test("begins as soon as the older replicas have stopped", async () => {
      const { start, clock, db, said, schema, replicas } = await olderDatabase(await fresh(), { alive: ["one"] });

      const started = start();
      await Promise.race([clock.sleeper(), started]);
      expect(await schema()).toBe(before);
      await db.deleteFrom("replica").execute();
      clock.jumpMs(1_000);
      expect(await started).toBeUndefined();

      expect(said.join("")).toContain("a replica of an older version still uses the database: one; waiting up to 30 s");
      expect(await schema()).toBe(migrations.length);
      expect(await replicas()).toEqual(["newer"]);
    });

    test("waits for a replica that was killed until its last heartbeat is over", async () => {
      const { start, clock, db, aliveUntil, schema } = await olderDatabase(await fresh(), { alive: ["killed"] });
      await db
        .updateTable("replica")
        .set({ alive_until: aliveUntil(20_000) })
        .execute();

      const started = start();
      await Promise.race([clock.sleeper(), started]);
      expect(await schema()).toBe(before);
      clock.jumpMs(25_000);
      expect(await started).toBeUndefined();

      expect(await schema()).toBe(migrations.length);
    });

    test("begins at once over a schema that has no table of replicas yet", async () => {
      const at = schemaBefore("changes, votes, events, accounts and replicas");
      const { start, schema } = await olderDatabase(await fresh(), { at });

      expect(await start()).toBeUndefined();

      expect(await schema()).toBe(migrations.length);
    });

    test("waits for replicas of a schema in which they say nothing about themselves, until it is told to stop", async () => {
      const at = schemaBefore("what a replica says about itself");
      const { start, clock, stop, schema } = await olderDatabase(await fresh(), { at, alive: ["ancient"] });

      const ended = start();
      await Promise.race([clock.sleeper(), ended]);
      stop();

      expect(await ended).toContain("abort");
      expect(await schema()).toBe(at);
    });

    test("is made by one of two replicas that start at once, and neither waits for the other", async () => {
      const { start, schema, replicas } = await olderDatabase(await fresh(), {});

      expect(await Promise.all([start("one"), start("other")])).toEqual([undefined, undefined]);

      expect(await schema()).toBe(migrations.length);
      expect(await replicas()).toEqual(["one", "other"]);
    });
  });
}

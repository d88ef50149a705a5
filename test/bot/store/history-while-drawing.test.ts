import type { Kysely } from "kysely";
import { expect, test } from "vitest";
import { openSqlite } from "../../../src/platform/database/sqlite.ts";
import type { Tables } from "../../../src/bot/store/schema/tables.ts";
import type { Drawing } from "../../../src/bot/workflow/ports.ts";
import { benchOver, bob, event, pendingChange, votes } from "./contract/bench.ts";

const card = { channelId: "C1", ts: "1.000001" };

function given(drawing: Drawing | undefined): Drawing {
  if (drawing === undefined) throw new Error("there was nothing to draw");
  return drawing;
}

/** The database, with something that happens right before the rows of history are read. */
function readingEventsAfter(db: Kysely<Tables>, happens: () => Promise<unknown>): Kysely<Tables> {
  const late = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get(_, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        const call = (...args: unknown[]): object => Reflect.apply(value, target, args) as object; // builders and promises
        return (...args: unknown[]) => (name === "execute" ? happens().then(() => call(...args)) : late(call(...args)));
      },
    });
  return new Proxy(db, {
    get(_, name) {
      const value: unknown = Reflect.get(db, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const result = Reflect.apply(value, db, args) as object; // a builder
        return name === "selectFrom" && args[0] === "event" ? late(result) : result;
      };
    },
  });
}

test("what happens while its history is read is told with the version that it made", async () => {
  const db = openSqlite<Tables>(":memory:");
  const { begin, end, replica } = benchOver(async () => ({
    where: { kind: "shared", db, flavour: "sqlite" },
    db,
    remove: () => db.destroy(),
  }));
  await begin();
  const a = await replica("a");
  let between = async (): Promise<unknown> => undefined;
  const b = await replica("b", { db: readingEventsAfter(db, () => between()) });
  await a.addChange(pendingChange("AAA111"), event("requested"));
  between = () => a.vote("AAA111", bob, votes);

  const first = given(await b.beginDrawing("AAA111"));
  between = async () => undefined;
  const isMore = await b.markDrawn("AAA111", { token: first.token, version: 1, card, toldSeq: first.newest });
  const second = given(await b.beginDrawing("AAA111"));
  await end();

  expect(first).toMatchObject({ change: { version: 1 }, newEvents: [{ kind: "requested" }] });
  expect(isMore).toBe(true);
  expect(second).toMatchObject({ change: { state: "approved" }, newEvents: [{ kind: "voted" }, { kind: "approved" }] });
});

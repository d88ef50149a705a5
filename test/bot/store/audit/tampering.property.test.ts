import { type Kysely, sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSealer, newKey, readKeyring } from "../../../../src/bot/accounts/seal.ts";
import {
  beginningOf,
  chainKeys,
  type ChainPoint,
  digestOf,
  newSecret,
  nextPoint,
} from "../../../../src/bot/audit/chain.ts";
import { exportLines, verifyDatabase, verifyLines } from "../../../../src/bot/compose/audit/audit-command.ts";
import { chainedEvent, headColumns, keysOf, readHead } from "../../../../src/bot/store/audit/chain-rows.ts";
import { checkDatabase } from "../../../../src/bot/store/audit/read-chain.ts";
import { textSealer } from "../../../../src/bot/store/database/text-sealer.ts";
import { openStore } from "../../../../src/bot/store/open-store.ts";
import type { Tables } from "../../../../src/bot/store/schema/tables.ts";
import { machineClock } from "../../../../src/platform/clock.ts";
import { openSqlite } from "../../../../src/platform/database/sqlite.ts";
import { notFullRun, seed } from "../../../support/full-run.ts";
import { testClock } from "../../../support/test-clock.ts";
import { event } from "../contract/bench.ts";

const TAMPERINGS = notFullRun === undefined ? 500 : 40;
const SEALED = 40;
const WAITING = 4;
const HOUR_MS = 60 * 60_000;

/** Numbers that look random, and are the same for the same seed: https://en.wikipedia.org/wiki/Xorshift */
function createDice(start: number) {
  let state = start === 0 ? 1 : start;
  const below = (limit: number): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return Math.abs(state) % limit;
  };
  return {
    below,
    pick<Value>(values: readonly Value[]): Value {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error("nothing to pick from");
      return value;
    },
  };
}
type Dice = ReturnType<typeof createDice>;

const sealer = createSealer(readKeyring(newKey()));
const texts = textSealer(sealer);
const opened: Kysely<Tables>[] = [];
let db: Kysely<Tables>;

/** A database as a Gantry left it: two workspaces, and a few events that haven't joined the chain. */
async function history(): Promise<Kysely<Tables>> {
  const made = openSqlite<Tables>(":memory:");
  opened.push(made);
  const clock = testClock(machineClock.now());
  const where = { kind: "shared", db: made, flavour: "sqlite" } as const; // literal kinds
  const common = { replicaId: "a", log: pino({ level: "silent" }), sealer, clock };
  const store = await openStore({ ...where, ...common });
  const add = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at += 1) {
      const teamId = at % 3 === 0 ? "T2" : "T1";
      await store.addEvent(event("bound", { teamId, result: `reason ${at}`, elapsedMs: at, reference: `ref${at}` }));
    }
  };
  await add(SEALED);
  await store.sealHistory();
  clock.passMs(2 * HOUR_MS);
  // From here on, a row without a mark is nothing that an older Gantry left.
  await store.sealHistory();
  await add(WAITING);
  return made;
}

beforeAll(async () => {
  db = await history();
});
afterAll(async () => {
  for (const each of opened) await each.destroy();
});

async function keys() {
  const head = await readHead({ db });
  if (head === undefined) throw new Error("there is no chain");
  return keysOf(sealer, head);
}

/** Undefined: it can't be told which event is the first. */
type Tampered = { readonly how: string; readonly first: number | undefined };
type Tampering = (tx: Kysely<Tables>, dice: Dice) => Promise<Tampered>;

const contentColumns =
  "seq at kind team_id change_id user_id user_name channel_id verb workload_kind workload_region workload_name account rule break_glass result elapsed_ms reference salt chain_note erased chain_digest chain_hash chain_mark".split(
    " ",
  );
const numbers = new Set(["seq", "break_glass", "elapsed_ms"]);
/** Its time and number are given by the database, and nothing vouches for them before it joins. */
const beforeItJoins = contentColumns.filter(
  (name) => !/^(?:seq|at|chain_note|erased|chain_digest|chain_hash)$/u.test(name),
);

const inDatabase: readonly Tampering[] = [
  async function change(tx, dice) {
    const number = 1 + dice.below(SEALED);
    const column = dice.pick(contentColumns);
    const value = numbers.has(column) ? 900_000 + dice.below(1_000) : `other ${dice.below(1_000)}`;
    await sql`update event set ${sql.ref(column)} = ${value} where chain_number = ${number}`.execute(tx);
    return { how: `${column} of ${number} → ${value}`, first: number };
  },
  async function changeWaiting(tx, dice) {
    const seq = SEALED + 1 + dice.below(WAITING);
    const column = dice.pick(beforeItJoins);
    const value = numbers.has(column) ? 7 + dice.below(1_000) + SEALED : null;
    const isRequired = /^(?:kind|team_id|result)$/u.test(column);
    await sql`update event set ${sql.ref(column)} = ${isRequired ? "x" : value} where seq = ${seq}
      and ${sql.ref(column)} is not ${isRequired ? "x" : value}`.execute(tx);
    // What is null already is changed in another way.
    await sql`update event set rule = 'another' where seq = ${seq} and ${sql.ref(column)} is null`.execute(tx);
    return { how: `${column} of row ${seq}, which waits`, first: undefined };
  },
  async function copyText(tx, dice) {
    const [to, from] = [1 + dice.below(SEALED / 2), 1 + SEALED / 2 + dice.below(SEALED / 2)];
    await sql`update event set result = (select result from event where chain_number = ${from}) where chain_number = ${to}`.execute(
      tx,
    );
    return { how: `the text of ${from} in ${to}`, first: to };
  },
  async function remove(tx, dice) {
    const number = 1 + dice.below(SEALED);
    await sql`delete from event where chain_number = ${number}`.execute(tx);
    return { how: `removed ${number}`, first: number };
  },
  async function takeOut(tx, dice) {
    const number = 1 + dice.below(SEALED);
    await sql`update event set chain_number = null where chain_number = ${number}`.execute(tx);
    return { how: `took out ${number}`, first: number };
  },
  async function closeGap(tx, dice) {
    const number = 1 + dice.below(SEALED - 1);
    await sql`delete from event where chain_number = ${number}`.execute(tx);
    for (let at = number + 1; at <= SEALED; at += 1) {
      await sql`update event set chain_number = ${at - 1} where chain_number = ${at}`.execute(tx);
    }
    await sql`update audit_chain set last_number = ${SEALED - 1}`.execute(tx);
    return { how: `removed ${number} and counted anew`, first: undefined };
  },
  async function swapPlaces(tx, dice) {
    const [one, other] = [1 + dice.below(SEALED / 2), 1 + SEALED / 2 + dice.below(SEALED / 2)];
    await sql`update event set chain_number = -1 where chain_number = ${one}`.execute(tx);
    await sql`update event set chain_number = ${one} where chain_number = ${other}`.execute(tx);
    await sql`update event set chain_number = ${other} where chain_number = -1`.execute(tx);
    return { how: `swapped the places of ${one} and ${other}`, first: one };
  },
  async function swapOrder(tx, dice) {
    const [one, other] = [1 + dice.below(SEALED / 2), 1 + SEALED / 2 + dice.below(SEALED / 2)];
    await sql`update event set seq = -1 where chain_number = ${one}`.execute(tx);
    await sql`update event set seq = ${one} where chain_number = ${other}`.execute(tx);
    await sql`update event set seq = ${other} where chain_number = ${one}`.execute(tx);
    return { how: `swapped the order of ${one} and ${other}`, first: one };
  },
  async function insertCopy(tx, dice) {
    const number = 1 + dice.below(SEALED);
    const place = dice.pick([null, SEALED + 1, 0]);
    const row = await tx.selectFrom("event").selectAll().where("chain_number", "=", number).executeTakeFirstOrThrow();
    const { seq: _, ...rest } = row;
    await tx
      .insertInto("event")
      .values({ ...rest, chain_number: place })
      .execute();
    return { how: `a copy of ${number} at ${place}`, first: undefined };
  },
  async function insertNew(tx, dice) {
    const result = `forged ${dice.below(1_000)}`;
    await sql`insert into event (at, kind, team_id, break_glass, result)
      values ('2026-11-26T00:00:00.000Z', 'approved', 'T1', 0, ${result})`.execute(tx);
    return { how: "a row of somebody else", first: undefined };
  },
  async function truncate(tx, dice) {
    const number = 1 + dice.below(SEALED);
    await sql`delete from event where chain_number >= ${number}`.execute(tx);
    return { how: `cut off from ${number}`, first: number };
  },
  async function truncateWithHead(tx, dice) {
    const number = 2 + dice.below(SEALED - 1);
    const hash = sql`(select chain_hash from event where chain_number = ${number - 1})`;
    await sql`update audit_chain set last_number = ${number - 1}, last_hash = ${hash}`.execute(tx);
    await sql`delete from event where chain_number >= ${number}`.execute(tx);
    return { how: `cut off from ${number}, and the head too`, first: undefined };
  },
  async function cutBeginning(tx, dice) {
    const number = 1 + dice.below(SEALED - 1);
    const hash = sql`(select chain_hash from event where chain_number = ${number})`;
    await sql`update audit_chain set first_number = ${number}, first_hash = ${hash}`.execute(tx);
    await sql`delete from event where chain_number <= ${number}`.execute(tx);
    return { how: `the oldest ${number}`, first: undefined };
  },
  async function computeAnew(tx, dice) {
    const number = 1 + dice.below(SEALED);
    await sql`update event set user_id = 'U9' where chain_number = ${number}`.execute(tx);
    const head = await readHead({ db: tx });
    const rows = await tx
      .selectFrom("event")
      .selectAll()
      .where("chain_number", "is not", null)
      .orderBy("chain_number")
      .execute();
    let at: ChainPoint = head?.first ?? beginningOf("");
    for (const row of rows) {
      const { contents } = chainedEvent(texts, row);
      const content = contents?.[0];
      const digest = content === undefined ? "" : digestOf(content);
      at = nextPoint(head?.chain ?? "", at, digest);
      await sql`update event set chain_digest = ${digest}, chain_hash = ${at.hash} where seq = ${row.seq}`.execute(tx);
    }
    const isHeadToo = dice.below(2) === 0;
    if (isHeadToo) await sql`update audit_chain set last_hash = ${at.hash}`.execute(tx);
    // With the head, it is the head that shows it: who has no key can't mark it.
    return { how: `${number} changed, all computed anew`, first: isHeadToo ? undefined : number };
  },
  async function otherKeys(tx) {
    const head = await readHead({ db: tx });
    if (head === undefined) throw new Error("there is no chain");
    const own = chainKeys(head.chain, newSecret());
    await tx.updateTable("audit_chain").set(headColumns(own, head)).execute();
    return { how: "the head marked with other keys", first: undefined };
  },
  async function head(tx, dice) {
    const column = dice.pick([
      "first_number",
      "first_hash",
      "last_number",
      "last_hash",
      "begun_at",
      "takes_unmarked",
      "mark",
    ]);
    const value = /number/u.test(column) ? SEALED + 1 + dice.below(SEALED) : column === "takes_unmarked" ? 1 : "other";
    await sql`update audit_chain set ${sql.ref(column)} = ${value}`.execute(tx);
    return { how: `${column} of the head`, first: undefined };
  },
];

test(`the database is intact, and ${TAMPERINGS} tamperings of it are found`, { timeout: 120_000 }, async () => {
  const chain = await keys();
  expect(await checkDatabase({ db, textSealer: texts }, chain)).toMatchObject({
    finding: undefined,
    events: SEALED,
    waiting: WAITING,
  });
  const dice = createDice(seed);
  for (let at = 0; at < TAMPERINGS; at += 1) {
    const tampering = inDatabase[at % inDatabase.length];
    if (tampering === undefined) throw new Error("no tampering");
    const tx = await db.startTransaction().execute();
    try {
      const { how, first } = await tampering(tx, dice);
      const { finding } = await checkDatabase({ db: tx, textSealer: texts }, chain);
      expect(finding, `seed ${seed}: ${how}`).toBeDefined();
      if (first !== undefined) expect(finding?.number, `seed ${seed}: ${how}: ${finding?.says}`).toBe(first);
    } finally {
      await tx.rollback().execute();
    }
  }
  expect((await checkDatabase({ db, textSealer: texts }, chain)).finding).toBeUndefined();
});

test("that earlier events are intact is said only where there are some, and they were checked", async () => {
  const says = async (change: string): Promise<string> => {
    const tx = await db.startTransaction().execute();
    try {
      await sql.raw(change).execute(tx);
      return (await verifyDatabase({ reader: { db: tx, textSealer: texts }, sealer })).says;
    } finally {
      await tx.rollback().execute();
    }
  };
  const intact = "The events before it are intact.";

  expect(await says("update audit_chain set last_number = 3")).toBe(
    "The head of the chain was changed: nothing proves how long it was.",
  );
  expect(await says("update event set verb = 'stop' where chain_number = 1")).toBe("Event 1 was changed.");
  expect(await says("update event set verb = 'stop' where chain_number = 2")).toBe(`Event 2 was changed. ${intact}`);
  expect(await says("update event set verb = 'stop' where chain_number is null")).toMatch(
    new RegExp(`^The row ${SEALED + 1} of history.* ${intact}$`, "u"),
  );
});

async function exported(from: Kysely<Tables>, teamId: string | null = null): Promise<string[]> {
  const reader = { db: from, textSealer: texts };
  const asked = { teamId, from: null, to: null };
  const lines: string[] = [];
  for await (const line of exportLines({ reader, sealer }, asked, new Date("2026-11-26T00:00:00Z"))) lines.push(line);
  return lines;
}

type Files = {
  readonly lines: readonly string[];
  readonly other: readonly string[];
  readonly earlier: readonly string[];
};
type FileTampering = (
  files: Files,
  dice: Dice,
) => { readonly lines: string[]; readonly how: string; readonly first?: number };

/** Lines of events are 1 to `SEALED`; before them is the first line, after them the end. */
const inFile: readonly FileTampering[] = [
  function change({ lines }, dice) {
    const number = 1 + dice.below(SEALED);
    const data = JSON.parse(lines[number] ?? "{}") as Record<string, unknown>; // a line of ours
    const field = dice.pick(Object.keys(data).filter((name) => name !== "type" && name !== "number"));
    const was = data[field];
    data[field] =
      typeof was === "number"
        ? was + 1
        : typeof was === "boolean"
          ? !was
          : typeof was === "object" && was
            ? {}
            : "other";
    return { lines: lines.with(number, JSON.stringify(data)), how: `${field} of ${number}`, first: number };
  },
  function addField({ lines }, dice) {
    const number = 1 + dice.below(SEALED);
    const line = (lines[number] ?? "").replace(/\}$/u, ',"extra":1}');
    return { lines: lines.with(number, line), how: `a field more in ${number}`, first: number };
  },
  function remove({ lines }, dice) {
    const number = 1 + dice.below(SEALED);
    return { lines: lines.toSpliced(number, 1), how: `removed ${number}`, first: number };
  },
  function swap({ lines }, dice) {
    const [one, other] = [1 + dice.below(SEALED / 2), 1 + SEALED / 2 + dice.below(SEALED / 2)];
    const swapped = lines.with(one, lines[other] ?? "").with(other, lines[one] ?? "");
    return { lines: swapped, how: `swapped ${one} and ${other}`, first: one };
  },
  function repeat({ lines }, dice) {
    const number = 1 + dice.below(SEALED);
    return { lines: lines.toSpliced(number, 0, lines[number] ?? ""), how: `twice ${number}`, first: number };
  },
  function truncate({ lines }, dice) {
    const number = 1 + dice.below(SEALED);
    return { lines: lines.slice(0, number), how: `cut off from ${number}`, first: number };
  },
  function cutBeforeEnd({ lines }, dice) {
    const number = 1 + dice.below(SEALED);
    return { lines: [...lines.slice(0, number), lines.at(-1) ?? ""], how: `nothing after ${number}`, first: number };
  },
  function hide({ lines }, dice) {
    const number = 1 + dice.below(SEALED);
    const { digest, hash } = JSON.parse(lines[number] ?? "{}") as Record<string, unknown>; // a line of ours
    const line = JSON.stringify({ type: "hidden", number, digest, hash });
    return { lines: lines.with(number, line), how: `hid ${number}`, first: number };
  },
  function lineOfAnother({ lines, other }, dice) {
    const number = 1 + dice.below(SEALED);
    return { lines: lines.with(number, other[number] ?? ""), how: `${number} of another database`, first: number };
  },
  function endOfAnother({ lines, other }) {
    return { lines: lines.with(lines.length - 1, other.at(-1) ?? ""), how: "the end of another database" };
  },
  function beginningOfAnother({ lines, other }) {
    return { lines: lines.with(0, other[0] ?? ""), how: "the first line of another database" };
  },
  function endOfEarlier({ lines, earlier }) {
    return { lines: lines.with(lines.length - 1, earlier.at(-1) ?? ""), how: "the end of another export" };
  },
  function computeAnew({ lines }, dice) {
    const number = 1 + dice.below(SEALED);
    const head = JSON.parse(lines[0] ?? "{}") as { chain: string; after: ChainPoint }; // ours
    let at = head.after;
    const anew = lines.slice(1, -1).map((line) => {
      const data = JSON.parse(line) as Record<string, unknown> & { digest: string; number: number }; // ours
      if (data.number === number) data.digest = nextPoint(head.chain, at, "of another event").hash;
      at = nextPoint(head.chain, at, data.digest);
      const kept = data.number === number ? { type: "hidden", number, digest: data.digest } : data;
      return JSON.stringify({ ...kept, hash: at.hash });
    });
    return { lines: [lines[0] ?? "", ...anew, lines.at(-1) ?? ""], how: `${number} replaced, all computed anew` };
  },
  function beginning({ lines }, dice) {
    const data = JSON.parse(lines[0] ?? "{}") as Record<string, unknown>; // ours
    const field = dice.pick(["chain", "publicKey", "exportedAt", "asked", "after", "version"]);
    data[field] = field === "asked" ? { teamId: "T1", from: null, to: null } : "other";
    return { lines: lines.with(0, JSON.stringify(data)), how: `${field} of the first line` };
  },
  function end({ lines }, dice) {
    const data = JSON.parse(lines.at(-1) ?? "{}") as Record<string, unknown>; // ours
    const field = dice.pick(["last", "shown", "attestation", "signature"]);
    data[field] = field === "last" ? { number: SEALED, hash: "other" } : "1-2";
    return { lines: lines.with(lines.length - 1, JSON.stringify(data)), how: `${field} of the last line` };
  },
];

test(`an export is intact, and ${TAMPERINGS} tamperings of it are found`, { timeout: 120_000 }, async () => {
  const dice = createDice(seed + 1);
  const lines = await exported(db);
  const [other, earlier] = [await exported(await history()), await exported(db, "T1")];
  const proof = { publicKeys: [], sealer };
  expect(await verifyLines(lines, proof)).toMatchObject({ state: "intact" });
  expect(await verifyLines(earlier, proof)).toMatchObject({ state: "intact" });
  expect(lines).toHaveLength(SEALED + 2);
  for (let at = 0; at < TAMPERINGS; at += 1) {
    const tampering = inFile[at % inFile.length];
    if (tampering === undefined) throw new Error("no tampering");
    const { lines: tampered, how, first } = tampering({ lines, other, earlier }, dice);
    const { state, says } = await verifyLines(tampered, proof);
    expect(state, `seed ${seed}: ${how}`).toBe("broken");
    if (first !== undefined)
      expect(says, `seed ${seed}: ${how}`).toMatch(
        new RegExp(`\\b(?:event|Events?) ${first}\\b|after event ${first - 1}\\b`, "u"),
      );
  }
});

test("an export says where it was cut off, and which event was moved or removed", async () => {
  const lines = await exported(db);
  const says = async (tampered: readonly string[]) => (await verifyLines(tampered, { publicKeys: [], sealer })).says;
  const before = "The events before it are as they were exported.";

  expect(await says(lines.slice(0, 3))).toBe(`The file is cut off after event 2. ${before}`);
  expect(await says(lines.slice(0, 2))).toBe(`The file is cut off after event 1. ${before}`);
  expect(await says(lines.slice(0, 1))).toBe("The file is cut off before event 1.");
  expect(await says([])).toBe("The file is empty.");
  const moved = lines.toSpliced(2, 1).toSpliced(7, 0, lines[2] ?? "");
  expect(await says(moved)).toBe(`Event 2 isn't in its place: it comes later. ${before}`);
  expect(await says(lines.toSpliced(2, 1))).toBe(`Event 2 was removed. ${before}`);
});

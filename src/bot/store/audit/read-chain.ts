import type { Selectable } from "kysely";
import { type ChainKeys, type ChainPoint, digestOf, erasedValues, isSigned, writtenValues } from "../../audit/chain.ts";
import { type ChainedEvent, createChecker, type Finding, removedText } from "../../audit/check.ts";
import type { TextSealer } from "../database/text-sealer.ts";
import type { Session } from "../database/session.ts";
import type { Tables } from "../schema/tables.ts";
import { chainedEvent, type ChainHead, isOurHead, placeValues, readHead, saltedEvent } from "./chain-rows.ts";

const PAGE = 500;

export type ChainReader = Pick<Session, "db"> & { readonly textSealer: TextSealer };
type EventRow = Selectable<Tables["event"]>;

/** Rows that have joined, after a number, a page at a time. */
async function* joinedRows({ db }: Pick<ChainReader, "db">, after: number): AsyncGenerator<EventRow> {
  let last = after;
  for (;;) {
    const rows = await db
      .selectFrom("event")
      .selectAll()
      .where("chain_number", ">", last)
      .orderBy("chain_number")
      .limit(PAGE)
      .execute();
    yield* rows;
    last = Number(rows.at(-1)?.chain_number ?? last);
    if (rows.length < PAGE) return;
  }
}

export type Checked = {
  readonly finding: Finding | undefined;
  /** Events that are kept and have joined. */
  readonly events: number;
  /** Written just now, in no place yet. */
  readonly waiting: number;
  readonly head: ChainHead | undefined;
};

/** Checks all that is kept. Changes nothing, so another process can do it while Gantry runs. */
export async function checkDatabase(reader: ChainReader, keys: ChainKeys): Promise<Checked> {
  const head = await readHead(reader);
  if (head === undefined) return broken({ number: undefined, says: "The head of the chain was removed." }, head);
  if (!isOurHead(keys, head)) {
    return broken(
      { number: undefined, says: "The head of the chain was changed: nothing proves how long it was." },
      head,
    );
  }
  const checker = createChecker(keys.chain, head.first);
  for await (const row of joinedRows(reader, -1)) {
    const event = chainedEvent(reader.textSealer, row);
    // The others have joined since.
    if (event.number > head.last.number) break;
    const finding = await findingAt(reader, keys, { row, event, finding: checker.next(event) });
    if (finding !== undefined) return pruned(reader, keys, head, finding);
  }
  const end = checker.at();
  if (end.number < head.last.number) {
    return pruned(reader, keys, head, { number: end.number + 1, says: removedText(end.number + 1, head.last.number) });
  }
  if (end.hash !== head.last.hash)
    return broken({ number: end.number, says: `Event ${end.number} was changed.` }, head);
  return { ...(await checkRest(reader, keys)), events: head.last.number - head.first.number, head };
}

function broken(finding: Finding, head: ChainHead | undefined): Checked {
  return { finding, events: 0, waiting: 0, head };
}

/** Gantry may have removed the oldest events meanwhile: then it is checked again. */
async function pruned(reader: ChainReader, keys: ChainKeys, head: ChainHead, finding: Finding): Promise<Checked> {
  const now = await readHead(reader);
  return now?.first.number === head.first.number ? broken(finding, head) : checkDatabase(reader, keys);
}

type Found = {
  readonly row: EventRow;
  readonly event: ReturnType<typeof chainedEvent>;
  readonly finding: Finding | undefined;
};

async function findingAt(
  reader: ChainReader,
  keys: ChainKeys,
  { row, event, finding }: Found,
): Promise<Finding | undefined> {
  const { number, hash } = event;
  if (finding !== undefined && event.isLost && finding.says === `Event ${number} was changed.`) {
    return { number, says: `Event ${number} can't be checked: the key that sealed its text is gone.` };
  }
  if (finding !== undefined && finding.number !== number) return whereIs(reader, finding);
  if (finding !== undefined) return finding;
  const { fields, erased } = event.contents?.[0] ?? {};
  if (fields && erased && !isSigned(keys.publicKey(), erasedValues(keys.chain, { fields, erased }), erased.signature)) {
    return { number, says: `Event ${number} was changed: Gantry didn't erase the missing fields.` };
  }
  if (keys.hasMark(row.chain_mark, "place", placeValues({ number, hash }))) return undefined;
  return { number, says: `Event ${number} isn't what Gantry put there: the chain was computed again from here.` };
}

/** A missing number may have been taken from a row that is still there. */
async function whereIs({ db }: ChainReader, finding: Finding): Promise<Finding> {
  const loose = await db
    .selectFrom("event")
    .select("seq")
    .where("chain_number", "is", null)
    .where("chain_hash", "!=", "")
    .limit(1)
    .executeTakeFirst();
  if (loose === undefined) return finding;
  return { ...finding, says: `Event ${finding.number} was taken out of the chain.` };
}

/** Rows at the end that haven't joined, and rows where none can be. */
async function checkRest(reader: ChainReader, keys: ChainKeys): Promise<Pick<Checked, "finding" | "waiting">> {
  const { db, textSealer } = reader;
  // One statement, so that what joins meanwhile isn't seen without the head that counts it.
  const extra = await db
    .selectFrom("event")
    .innerJoin("audit_chain", (join) => join.onTrue())
    .select("chain_number")
    .where((where) =>
      where.or([
        where("chain_number", ">", where.ref("last_number")),
        where("chain_number", "<=", where.ref("first_number")),
      ]),
    )
    .orderBy("chain_number")
    .limit(1)
    .executeTakeFirst();
  if (extra !== undefined) {
    const number = Number(extra.chain_number);
    return { waiting: 0, finding: { number, says: `Event ${number} was inserted: Gantry didn't write it.` } };
  }
  const takesUnmarked = (await readHead(reader))?.takesUnmarked === true;
  const rows = await db
    .selectFrom("event")
    .selectAll()
    .where("chain_number", "is", null)
    .orderBy("seq")
    .limit(PAGE)
    .execute();
  const wrong = rows.find((row) => {
    const fields = saltedEvent(textSealer, row)?.fields;
    if (row.chain_mark === null) return !takesUnmarked;
    return fields === undefined || !keys.hasMark(row.chain_mark, "written", writtenValues(fields, row.salt ?? ""));
  });
  if (wrong === undefined) return { finding: undefined, waiting: rows.length };
  const says = `The row ${wrong.seq} of history, which hasn't joined the chain yet, was changed or inserted: Gantry didn't write it.`;
  return { waiting: rows.length, finding: { number: undefined, says } };
}

export type ExportedEvent = {
  readonly event: ChainedEvent;
  readonly teamId: string;
  readonly at: string;
};

/** The events after a point as they can be exported: hidden when their text can't be opened. */
export async function* chainAfter(reader: ChainReader, after: number): AsyncGenerator<ExportedEvent> {
  for await (const row of joinedRows(reader, after)) {
    yield { event: exportedEvent(reader.textSealer, row), teamId: row.team_id, at: row.at };
  }
}

export function exportedEvent(sealer: TextSealer, row: EventRow): ChainedEvent {
  const { isLost, contents = [], ...event } = chainedEvent(sealer, row);
  const content = contents.find((each) => digestOf(each) === event.digest);
  // What was changed is exported as it is, so that whoever checks the file sees it too.
  const shown = content ?? (isLost ? undefined : contents[0]);
  return { ...event, contents: shown && [shown] };
}

/** The event with this number; undefined when it isn't kept. */
export async function pointAt({ db }: Pick<ChainReader, "db">, number: number): Promise<ChainPoint | undefined> {
  const row = await db
    .selectFrom("event")
    .select(["chain_number", "chain_hash"])
    .where("chain_number", "=", number)
    .executeTakeFirst();
  return row && { number: Number(row.chain_number), hash: row.chain_hash ?? "" };
}

import { type Expression, type RawBuilder, sql, type SqlBool, type UpdateObject } from "kysely";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import { Health, type StoredChange } from "../changes/stored-change.ts";
import type { Next, Step } from "../workflow/lifecycle.ts";
import type { Advanced, IdIn } from "../workflow/stored.ts";
import { deleteDue, makeOthersDue, leaseDue, scheduleDue } from "./due.ts";
import { inTransaction, isTaken, removeRows, rowOf, type Session } from "./database/session.ts";
import { sealJson } from "./database/text-sealer.ts";
import { beginCard, cardColumn } from "./posts.ts";
import { LinesJson, plainText, TermsJson, toJson } from "./schema/columns.ts";
import type { Tables } from "./schema/tables.ts";
import { ended, inWorkspace, type Move, move, moveRow } from "./step.ts";
import { findChange } from "./find-change.ts";
import { wholeChange } from "./whole-change.ts";

type Advance = {
  readonly id: string;
  readonly teamId?: string | undefined;
  readonly event: NewHistoryEvent | undefined;
};

/** Steps that make other requests about the workload due: those that wait for it, or also those that poll it, because it changed. */
const frees: ReadonlyMap<Step["name"], "waiting" | "all"> = new Map([
  ["succeed", "all"],
  ["confirm", "all"],
  ["fail", "waiting"],
  ["giveUp", "waiting"],
]);

/** One step of the lifecycle, as its row of the table says. */
export async function advance(
  session: Session,
  id: string | IdIn,
  step: Step,
  event: NewHistoryEvent | undefined,
): Promise<Advanced> {
  const what: Advance = { ...(typeof id === "string" ? { id } : id), event };
  switch (step.name) {
    case "approve":
      return inTransaction(session, (inside) => approve(inside, step, what));
    case "askAgain":
      return askAgain(session, step, what);
    case "claim":
      return claim(session, step, what);
    default: {
      const { set, only = [] } = changesOf(session, step, what.id);
      const next = nextOf(step);
      const isQuiet = step.name === "begin" || ("isNews" in step && !step.isNews);
      const due = "due" in step ? step.due : undefined;
      const moving = { ...what, step, set, only, isQuiet, due, next };
      const drawsForMs = step.name === "succeed" ? step.drawsForMs : undefined;
      const work = async (inside: Session): Promise<Advanced> => {
        const advanced =
          drawsForMs === undefined ? moved(await move(inside, moving)) : await moveAndDraw(inside, moving, drawsForMs);
        if (advanced.kind !== "moved") return advanced;
        const { change } = advanced;
        const which = frees.get(step.name);
        if (which !== undefined) await makeOthersDue(inside, change, which);
        // A person rejected or cancelled it: nothing is left to do.
        if (due === undefined) await deleteDue(inside, { kinds: ["change"], key: what.id });
        // The part gets a lease of its own.
        if (step.name === "begin") await scheduleDue(inside, { kind: "change", key: what.id, teamId: change.teamId });
        if (step.name !== "drift") return advanced;
        // The approvals were for the workload as it was: they are removed, and stay in the history.
        await removeRows(inside.db, "vote", { change_id: what.id });
        return { ...advanced, change: { ...change, votes: [] } };
      };
      return inTransaction(session, work);
    }
  }
}

/** Whoever ends a routine Change also posts its card. */
async function moveAndDraw(session: Session, step: Move, drawsForMs: number): Promise<Advanced> {
  const row = await moveRow(session, { ...step, draws: true });
  if (row === undefined) return moved(undefined);
  return { kind: "moved", change: await wholeChange(session, row), card: await beginCard(session, row, drawsForMs) };
}

function moved(change: StoredChange | undefined): Advanced {
  return change === undefined ? { kind: "late", change } : { kind: "moved", change };
}

type Plain = Exclude<Step, { readonly name: "approve" | "askAgain" | "claim" }>;
type Changes = { readonly set: UpdateObject<Tables, "change">; readonly only?: readonly Expression<SqlBool>[] };

function changesOf(session: Session, step: Plain, id: string): Changes {
  const { clock } = session;
  switch (step.name) {
    case "begin":
      // Like any other request, it expires if it can't start in time: that time begins now.
      return { set: { approved_at: clock() }, only: [requestRuns, sql<SqlBool>`approved_at is null`] };
    case "reject":
      return { set: ended(session, { kind: "rejected", by: step.by, reason: step.reason }, id) };
    case "cancel":
      return { set: ended(session, { kind: "cancelled", by: step.by }, id) };
    case "drift":
      return { set: ended(session, { kind: "drifted", drift: step.drift }, id) };
    case "expire": {
      const { was, withinMs } = step;
      const isOver =
        was === "pending"
          ? sql<SqlBool>`state = 'pending' and expires_at <= ${clock()}`
          : sql<SqlBool>`state = 'approved' and approved_at <= ${clock(-withinMs)}`;
      return { set: ended(session, { kind: "expired", was }, id), only: [isOver] };
    }
    case "refuse":
      return { set: ended(session, { kind: "run", outcome: step.outcome }, id) };
    case "doubt": {
      // The workload stays taken while it is being read back.
      const { ending } = ended(session, { kind: "run", outcome: step.outcome }, id);
      return { set: { ending } };
    }
    case "succeed":
    case "fail":
    case "giveUp":
      return { set: settled(session, step, id), only: [sql<SqlBool>`settled_at is null`, nothingUnderWay] };
    case "confirm": {
      const { ending } = ended(session, { kind: "run", outcome: step.outcome }, id);
      return { set: { ...healthColumns(session, step, id), ending }, only: [isFollowed] };
    }
    case "observe":
    case "follow":
    case "trouble":
    case "recover":
      return { set: healthColumns(session, step, id), only: [isFollowed] };
  }
}

/** What the step does with its lease. */
function nextOf(step: Plain): Next | undefined {
  if ("next" in step) return step.next;
  return step.name === "refuse" || step.name === "expire" || step.name === "drift" ? "over" : undefined;
}

const isFollowed = sql<SqlBool>`health is null`;

/** A request for several workloads doesn't end while one of its parts is being sent or read back. */
const nothingUnderWay = sql<SqlBool>`(part_count = 0 or not exists (select 1 from change as part
  where part.part_of = change.id and part.settled_at is null and part.state <> 'approved'))`;

/** A part begins only while its request runs. When that ends, what was not sent is cancelled. */
const requestRuns = sql<SqlBool>`(select request.state from change as request where request.id = change.part_of) = 'claimed'`;

type Polled = { readonly progress?: Health | undefined; readonly health?: Health | undefined };

/** The columns that a poll sets: `progress`, or `health` at the last one. */
function healthColumns({ textSealer }: Session, { progress, health }: Polled, id: string) {
  const sealed = (seen: Health): string => sealJson(textSealer, toJson(Health, seen), id);
  return { ...(progress && { progress: sealed(progress) }), ...(health && { health: sealed(health) }) };
}

/** The columns of a Change that was sent. */
function settled(session: Session, step: Extract<Plain, { readonly name: "succeed" | "fail" | "giveUp" }>, id: string) {
  return {
    ...ended(session, { kind: "run", outcome: step.outcome }, id),
    running_key: null,
    ...(step.name === "succeed" && healthColumns(session, step, id)),
  };
}

/**
 * Takes the workload for this Change before its request leaves: at most once, ever. The lease then lasts for
 * `sendWithinMs` from a moment after the call: whoever sends must do so within that time, counted from before the call.
 * When this throws, the Change may be claimed all the same: nothing may be sent, and the next attempt reads the workload back.
 */
async function claim(
  session: Session,
  step: Extract<Step, { readonly name: "claim" }>,
  what: Advance,
): Promise<Advanced> {
  const { clock, textSealer } = session;
  const { due } = step;
  const set = {
    claimed_at: clock(),
    ...(step.found !== undefined && {
      sealed: unlessErased("sealed", step.found.sealed),
      diff: unlessErased("diff", textSealer.seal(toJson(LinesJson, step.found.diff), what.id)),
    }),
    // Each part of a request takes its own workload.
    running_key: sql<string>`case when part_count > 0 then null
      else team_id || '/' || workload_region || '/' || workload_kind || '/' || workload_name end`,
  };
  try {
    return moved(await inTransaction(session, (inside) => move(inside, { ...what, step, set, due })));
  } catch (error) {
    // The unique index on the workload: another Run of it is in progress. The transaction is rolled back as a whole.
    if (isTaken(error, "running_key")) return { kind: "busy", earlier: undefined };
    throw error;
  }
}

/** What was erased stays erased. */
function unlessErased(column: "sealed" | "diff", value: string): RawBuilder<string> {
  return sql<string>`case when sealed = '' then ${sql.ref(column)} else ${value} end`;
}

type Approve = Extract<Step, { readonly name: "approve" }>;

/** Counts an approval, in SQL, under the row's lock: of many at once exactly one is the last that is needed. */
async function approve(session: Session, step: Approve, { id, teamId, event }: Advance): Promise<Advanced> {
  const { db, clock } = session;
  // Changes nothing, and makes everybody else who approves wait until this approval is counted.
  const row = await db
    .updateTable("change")
    .set({ version: sql`version` })
    .where("id", "=", id)
    .where(inWorkspace(teamId))
    .where(sql<SqlBool>`state = 'pending'`)
    .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", clock())]))
    .returningAll()
    .returning(cardColumn)
    .executeTakeFirst();
  if (row === undefined) return { kind: "late", change: await findChange(session, { id }, teamId) };
  const before = await wholeChange(session, row);
  if (!(await insertVote(session, step, before))) return { kind: "twice", change: before };
  const change = await move(session, { id, step, event });
  if (before.terms === undefined) {
    throw new Error(`Change ${id} waits for approvals without terms that say how many`);
  }
  if (before.votes.length + 1 < before.terms.votes) return movedUnderLock(change);
  const set = { approved_at: clock() };
  const last = { from: step.from, to: "approved" } as const; // a literal state
  const approved = movedUnderLock(await move(session, { id, step: last, set, event: step.last }));
  const work = { kind: "change", key: id, teamId: before.teamId } as const; // a literal kind
  const due = await leaseDue(session, { ...work, leaseMs: session.leaseMs });
  // Another replica holds the lease to check for expiry, and will run it instead.
  if (due === undefined) await scheduleDue(session, work);
  return { ...approved, due };
}

function movedUnderLock(change: StoredChange | undefined) {
  if (change === undefined) throw new Error("a Change moved while its row was locked");
  return { kind: "moved", change } as const; // a literal kind
}

/** False: this person had approved already. */
async function insertVote({ db, clock }: Session, { by }: Approve, { id, votes }: StoredChange): Promise<boolean> {
  const row = await db
    .insertInto("vote")
    .values({
      change_id: id,
      user_id: by.userId,
      user_name: plainText(by.name),
      number: votes.length + 1,
      voted_at: clock(),
    })
    .onConflict((conflict) => conflict.columns(["change_id", "user_id"]).doNothing())
    .returning("change_id")
    .executeTakeFirst();
  return row !== undefined;
}

type AskAgain = Extract<Step, { readonly name: "askAgain" }>;

/**
 * approved → pending, with the current terms. Removes approvals that don't count under them, so those people can approve
 * again; history keeps them.
 */
async function askAgain(session: Session, step: AskAgain, what: Advance): Promise<Advanced> {
  try {
    return moved(await inTransaction(session, (inside) => backToPending(inside, step, what)));
  } catch (error) {
    if (!isTaken(error, "wait_key")) throw error;
    const row = await rowOf(session.db, "change", { id: what.id });
    const waitKey = row?.wait_key ?? undefined;
    return { kind: "busy", earlier: waitKey === undefined ? undefined : await findChange(session, { waitKey }) };
  }
}

async function backToPending(session: Session, step: AskAgain, what: Advance): Promise<StoredChange | undefined> {
  const { version, terms, rule, counting, notice } = step;
  const set = {
    terms: toJson(TermsJson, terms),
    rule,
    notice: plainText(notice),
    expires_at: session.clock(terms.expiresMs),
    approved_at: null,
  };
  const only = [sql<SqlBool>`version = ${version}`];
  const change = await move(session, { ...what, step, set, only, due: step.due, next: { ms: terms.expiresMs } });
  if (change === undefined) return undefined;
  const lost = change.votes.map(({ userId }) => userId).filter((userId) => !counting.includes(userId));
  if (lost.length > 0) {
    // A request has as many votes as its rule takes.
    await session.db.deleteFrom("vote").where("change_id", "=", what.id).where("user_id", "in", lost).execute();
  }
  return { ...change, votes: change.votes.filter(({ userId }) => counting.includes(userId)) };
}

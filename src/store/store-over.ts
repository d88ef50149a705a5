import { sql } from "kysely";
import { accountsFor, removeAccount, resealAccount, saveAccount } from "./accounts.ts";
import { bind, bindingOf, unbind } from "./bindings.ts";
import { callsOn, countCalls } from "./calls.ts";
import { addChange, markUndone, pendingChanges } from "./changes.ts";
import { findBy } from "./find-change.ts";
import { returnToPending } from "./return-to-pending.ts";
import { findUndoOf, findWaiting } from "./duplicates.ts";
import { cancel, drift, expireDue, refuse, reject } from "./decisions.ts";
import { accept, drop, finish, isKnown, remember, takeDeliveries } from "./deliveries.ts";
import { beginDrawing, drew, holdDrawing, postponeDrawing, undrawn } from "./drawings.ts";
import { addEvent, history } from "./events.ts";
import { setRegion, settingsOf } from "./person-settings.ts";
import { pruner } from "./database/prune.ts";
import { beat, leave } from "./database/replicas.ts";
import { claim, doubt, openChanges, setHealth, settle } from "./runs.ts";
import type { Session } from "./database/session.ts";
import { StoreError } from "../errors.ts";
import { storeErrorOf } from "./database/store-error.ts";
import type { Store } from "./store.ts";
import { vote } from "./vote.ts";

/** Nobody waits longer than this for a database that does not answer when Gantry stops. */
const CLOSE_WITHIN_MS = 3_000;

type Guard = <Args extends readonly unknown[], Result>(
  work: (...args: Args) => Promise<Result>,
) => (...args: Args) => Promise<Result>;

/** The functions of the store over an open database; trouble with it comes out as a `StoreError`. */
export function storeOver(session: Session, closeDatabase: () => Promise<void>): Store {
  let isOpen = true;
  const guard: Guard =
    (work) =>
    async (...args) => {
      if (!isOpen) throw new StoreError("Gantry is stopping and has closed its database. Try again in a minute.");
      try {
        return await work(...args);
      } catch (error) {
        throw storeErrorOf(error) ?? error;
      }
    };
  return {
    sendWithinMs: session.sendWithinMs,
    ...beginnings(session, guard),
    ...decisions(session, guard),
    ...runs(session, guard),
    ...drawings(session, guard),
    ...records(session, guard),
    ...places(session, guard),
    isOpen: () => isOpen,
    isReachable: async () => isOpen && (await answers(session)),
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await within(CLOSE_WITHIN_MS, [() => leave(session), closeDatabase], session);
    },
  };
}

type Part<Name extends keyof Store> = Pick<Store, Name>;

function beginnings(
  session: Session,
  guard: Guard,
): Part<
  | "beat"
  | "accept"
  | "finish"
  | "remember"
  | "isKnown"
  | "drop"
  | "takeDeliveries"
  | "addChange"
  | "findChange"
  | "changeOfDelivery"
  | "pendingChanges"
  | "markUndone"
  | "undoOf"
  | "waitingLike"
> {
  const prune = pruner(session);
  return {
    beat: guard(async () => {
      await beat(session);
      // Here and not when a delivery comes in: a person waits for that.
      await prune();
    }),
    accept: guard((delivery) => accept(session, delivery)),
    finish: guard((deliveryId) => finish(session, deliveryId)),
    remember: guard((deliveryId) => remember(session, deliveryId)),
    isKnown: guard((deliveryId) => isKnown(session, deliveryId)),
    drop: guard((deliveryId) => drop(session, deliveryId)),
    takeDeliveries: guard(() => takeDeliveries(session)),
    addChange: guard((change, event) => addChange(session, change, event)),
    findChange: guard((id) => findBy(session.db, "id", id)),
    changeOfDelivery: guard((deliveryId) => findBy(session.db, "delivery_id", deliveryId)),
    pendingChanges: guard((teamId) => pendingChanges(session, teamId)),
    markUndone: guard((id) => markUndone(session, id)),
    waitingLike: guard((waitKey) => findWaiting(session, waitKey)),
    undoOf: guard((id) => findUndoOf(session.db, id)),
  };
}

function decisions(
  session: Session,
  guard: Guard,
): Part<"vote" | "reject" | "cancel" | "drift" | "refuse" | "returnToPending" | "expireDue"> {
  return {
    vote: guard((id, who, events) => vote(session, { id, who, events })),
    reject: guard((id, { who, reason }, event) => reject(session, { id, who, reason, event })),
    cancel: guard((id, who, event) => cancel(session, { id, who, event })),
    drift: guard((id, found, event) => drift(session, { id, drift: found, event })),
    refuse: guard((id, outcome, event) => refuse(session, { id, outcome, event })),
    returnToPending: guard((what, event) => returnToPending(session, what, event)),
    expireDue: guard((approvedMs, event) => expireDue(session, { approvedMs, event })),
  };
}

function runs(session: Session, guard: Guard): Part<"claim" | "doubt" | "settle" | "setHealth" | "openChanges"> {
  return {
    claim: guard((id, event) => claim(session, id, event)),
    doubt: guard((id, outcome, event) => doubt(session, { id, outcome, event })),
    settle: guard((id, outcome, event) => settle(session, { id, outcome, event })),
    setHealth: guard((id, health, event) => setHealth(session, { id, health, event })),
    openChanges: guard(() => openChanges(session)),
  };
}

function drawings(
  session: Session,
  guard: Guard,
): Part<"undrawn" | "beginDrawing" | "holdDrawing" | "drew" | "postponeDrawing"> {
  return {
    undrawn: guard(() => undrawn(session)),
    beginDrawing: guard((id) => beginDrawing(session, id)),
    holdDrawing: guard((id, token, card) => holdDrawing(session, id, { token, card })),
    drew: guard((id, drawn) => drew(session, id, drawn)),
    postponeDrawing: guard((id, token, wait) => postponeDrawing(session, id, { token, ...wait })),
  };
}

function records(
  session: Session,
  guard: Guard,
): Part<
  "addEvent" | "history" | "saveAccount" | "removeAccount" | "resealAccount" | "accountsFor" | "countCalls" | "callsOn"
> {
  return {
    addEvent: guard((event) => addEvent(session, event)),
    history: guard((query) => history(session, query)),
    saveAccount: guard((account, event) => saveAccount(session, account, event)),
    removeAccount: guard((teamId, owner, event) => removeAccount(session, { teamId, owner }, event)),
    resealAccount: guard((account, sealed) => resealAccount(session, account, sealed)),
    accountsFor: guard((seeker) => accountsFor(session, seeker)),
    countCalls: guard((username, day, calls) => countCalls(session, { username, day, calls })),
    callsOn: guard((username, day) => callsOn(session, username, day)),
  };
}

function places(session: Session, guard: Guard): Part<"bindingOf" | "bind" | "unbind" | "settingsOf" | "setRegion"> {
  return {
    bindingOf: guard((teamId, channelId) => bindingOf(session, { teamId, channelId })),
    bind: guard((channel, binding, event) => bind(session, { ...channel, binding }, event)),
    unbind: guard((channel, event) => unbind(session, channel, event)),
    settingsOf: guard((teamId, userId) => settingsOf(session, { teamId, userId })),
    setRegion: guard((teamId, userId, region) => setRegion(session, { teamId, userId }, region)),
  };
}

async function answers({ db }: Session): Promise<boolean> {
  try {
    await sql`select 1`.execute(db);
    return true;
  } catch {
    return false;
  }
}

/** Does what can be done in this time, each step even if the one before it failed. */
async function within(ms: number, steps: readonly (() => Promise<void>)[], { log }: Session): Promise<void> {
  const { promise: isOver, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const all = async () => {
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({ reason }, "the database was not closed in order; what was held is free when the lease is over");
      }
    }
  };
  await Promise.race([all(), isOver]);
  clearTimeout(timer);
}

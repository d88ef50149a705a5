import { sql } from "kysely";
import { StoreError } from "../errors.ts";
import { accountsFor, removeAccount, resealAccount, saveAccount } from "./accounts.ts";
import { addChange } from "./add-change.ts";
import { advance } from "./advance.ts";
import { bind, bindingOf, unbind } from "./bindings.ts";
import { callsOn, countCalls } from "./calls.ts";
import { profileRows } from "./profiles.ts";
import { createPending } from "./lists/pending.ts";
import { pruner } from "./database/prune.ts";
import { beat, isAlone, leave } from "./database/replicas.ts";
import type { Session } from "./database/session.ts";
import { storeErrorOf } from "./database/store-error.ts";
import { setRegion } from "./default-region.ts";
import { accept, drop, finish, isKnown, remember, takeDeliveries } from "./deliveries.ts";
import { beginDrawing, drew, holdDrawing, postponeDrawing, undrawn } from "./drawings.ts";
import { addEvent } from "./events.ts";
import { closeWorkspace } from "./workspaces/close-workspace.ts";
import { expireDue } from "./expire.ts";
import { findChange } from "./find-change.ts";
import { history } from "./lists/history.ts";
import { inspect } from "./database/inspect.ts";
import { impliedFor } from "./implied.ts";
import { movedChannels, moveChannel } from "./move-channel.ts";
import {
  doubted,
  doubtInstallation,
  findInstallation,
  installationOf,
  installationVersions,
  noteOrgWorkspace,
  removeInstallation,
  resealTokens,
  rotated,
  saveInstallation,
  takeRotation,
  trustInstallation,
  workspacesOf,
} from "./workspaces/installations.ts";
import { openChanges } from "./open-changes.ts";
import type { Store } from "./store.ts";
import { beginTelling, holdTelling, owed, postponeTelling, told } from "./tellings.ts";

/** How long a stop waits for a database that doesn't answer. */
const CLOSE_WITHIN_MS = 3_000;

/** Functions of the store that work with the database. */
type Statements = Omit<Store, "sendWithinMs" | "isOpen" | "isReachable" | "close">;

/** The store over an open database. Problems with the database are thrown as a `StoreError`. */
export function storeOver(session: Session, closeDatabase: () => Promise<void>): Store {
  let isOpen = true;
  const guard =
    <Args extends readonly unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (!isOpen) throw new StoreError("Gantry is stopping and has closed its database. Try again in a minute.");
      try {
        return await work(...args);
      } catch (error) {
        throw storeErrorOf(error) ?? error;
      }
    };
  const all: Statements = {
    ...changes(session),
    ...recordsOf(session),
    ...accountsOf(session),
    ...installationsOf(session),
  };
  const guarded = Object.fromEntries(
    Object.entries<(...args: never[]) => Promise<unknown>>(all).map(([name, work]) => [name, guard(work)]),
  ) as Statements; // the same names and types as `all`, which is total
  return {
    sendWithinMs: session.sendWithinMs,
    ...guarded,
    isOpen: () => isOpen,
    isReachable: async () => isOpen && (await answers(session)),
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await within(CLOSE_WITHIN_MS, [() => leave(session), closeDatabase], session);
    },
  };
}

function changes(session: Session) {
  return {
    add: (change, event) => addChange(session, change, event),
    find: (key, teamId) => findChange(session, key, teamId),
    advance: (id, step, event) => advance(session, step, { ...(typeof id === "string" ? { id } : id), event }),
    expire: (approvedMs, event) => expireDue(session, { approvedMs, event }),
    open: () => openChanges(session),
    note: (event) => addEvent(session, event),
    undrawn: () => undrawn(session),
    beginDrawing: (id, teamId) => beginDrawing(session, id, teamId),
    holdDrawing: (id, token, card) => holdDrawing(session, id, { token, card }),
    drew: (id, drawn) => drew(session, id, drawn),
    postponeDrawing: (id, token, wait) => postponeDrawing(session, id, { token, ...wait }),
    owed: () => owed(session),
    beginTelling: (id, when) => beginTelling(session, id, when),
    holdTelling: (id, token) => holdTelling(session, id, token),
    told: (id, news) => told(session, id, news),
    postponeTelling: (id, token, ms) => postponeTelling(session, id, token, ms),
    pendingChanges: createPending(session),
    history: (query) => history(session, query),
  } satisfies Partial<Statements>;
}

function recordsOf(session: Session) {
  const prune = pruner(session);
  return {
    async beat(report) {
      await beat(session, report);
      // Here and not when a delivery comes in: a person waits for that.
      await prune();
    },
    inspect: () => inspect(session),
    isAlone: () => isAlone(session),
    accept: (delivery) => accept(session, delivery),
    finish: (deliveryId) => finish(session, deliveryId),
    remember: (deliveryId) => remember(session, deliveryId),
    isKnown: (deliveryId) => isKnown(session, deliveryId),
    drop: (deliveryId) => drop(session, deliveryId),
    takeDeliveries: () => takeDeliveries(session),
    countCalls: (of, calls) => countCalls(session, of, calls),
    callsOn: (of) => callsOn(session, of),
    ...profileRows(session),
  } satisfies Partial<Statements>;
}

function accountsOf(session: Session) {
  return {
    impliedFor: (seeker) => impliedFor(session, seeker),
    accountsFor: (seeker) => accountsFor(session, seeker),
    saveAccount: (account, event) => saveAccount(session, account, event),
    removeAccount: (teamId, owner, event) => removeAccount(session, { teamId, owner }, event),
    resealAccount: (account, sealed) => resealAccount(session, account, sealed),
    bindingOf: (teamId, channelId) => bindingOf(session, { teamId, channelId }),
    bind: (channel, binding, event) => bind(session, { ...channel, binding }, event),
    unbind: (channel, event) => unbind(session, channel, event),
    moveChannel: (move) => moveChannel(session, move),
    movedChannels: () => movedChannels(session),
    setRegion: (teamId, userId, region) => setRegion(session, { teamId, userId }, region),
  } satisfies Partial<Statements>;
}

function installationsOf(session: Session) {
  return {
    saveInstallation: (installation) => saveInstallation(session, installation),
    findInstallation: (source) => findInstallation(session, source),
    installationOf: (teamId) => installationOf(session, teamId),
    installationVersions: () => installationVersions(session),
    noteOrgWorkspace: (teamId, enterpriseId) => noteOrgWorkspace(session, teamId, enterpriseId),
    workspacesOf: (installation) => workspacesOf(session, installation),
    takeRotation: (withinMs, leaseMs) => takeRotation(session, { withinMs, leaseMs }),
    rotated: (installation, tokens) => rotated(session, installation, tokens),
    resealTokens: (installation, sealed) => resealTokens(session, installation, sealed),
    doubtInstallation: (id) => doubtInstallation(session, id),
    doubted: () => doubted(session),
    trustInstallation: (id) => trustInstallation(session, id),
    removeInstallation: (installation) => removeInstallation(session, installation),
    closeWorkspace: (closing) => closeWorkspace(session, closing),
  } satisfies Partial<Statements>;
}

async function answers({ db }: Session): Promise<boolean> {
  try {
    await sql`select 1`.execute(db);
    return true;
  } catch {
    return false;
  }
}

/** Tries each step within this time, even if the one before it failed. */
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

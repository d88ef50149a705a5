import type { StoreError } from "../errors.ts";
import type { Session } from "./database/session.ts";
import type * as statements from "./statements.ts";

/** Functions without their first argument, the session. */
export type Over<Functions> = {
  readonly [Name in keyof Functions]: Functions[Name] extends (session: Session, ...args: infer Args) => infer Result
    ? (...args: Args) => Result
    : never;
};

export type Statements = Over<typeof statements>;

/**
 * Everything the bot keeps, for any number of replicas. Every time is the database's. A state changes by one conditional
 * UPDATE, together with its row of history, in one transaction: one replica wins, the others see that nothing moved.
 * Throws a `StoreError` when the database can't be reached or doesn't answer in time.
 */
export type Store = Statements & {
  /** How long after the start of a `claim` its request may leave, in milliseconds: then the lease may be over. */
  readonly sendWithinMs: number;
  /** Who begins due work: called after each statement of this replica that made some due now. */
  readonly onDue: (begin: () => void) => void;
  readonly isOpen: () => boolean;
  /** Why no request can be stored now, proven by a write; undefined while one can. Never rejects. */
  readonly trouble: () => Promise<StoreError | undefined>;
  /** Says that this replica is gone, and closes. */
  readonly close: () => Promise<void>;
};

/** What concerns all workspaces: only the sweep and the installer have it. */
type ForAll =
  | "addReceivers"
  | "auditBatch"
  | "auditDelivered"
  | "auditFailed"
  | "beat"
  | "close"
  | "closeWorkspace"
  | "delayDue"
  | "dueKinds"
  | "endDue"
  | "endMutes"
  | "findInstallation"
  | "forgetElsewhere"
  | "inspect"
  | "installationById"
  | "installationOf"
  | "installationVersions"
  | "movedChannels"
  | "saveOrgWorkspace"
  | "onDue"
  | "otherReplicas"
  | "planPruning"
  | "prune"
  | "removeInstallation"
  | "renewDue"
  | "resealTokens"
  | "rotated"
  | "saveInstallation"
  | "scheduleWatching"
  | "sealHistory"
  | "suspectInstallation"
  | "syncRounds"
  | "takeDue"
  | "waiting"
  | "workspacesOf";

/** The store as one workspace sees it. */
export type WorkspaceStore = Omit<Store, ForAll>;

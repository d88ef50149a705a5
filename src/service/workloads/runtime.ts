// Imports only types, because a runtime may load it into every program.
import type { Readiness } from "../engine.ts";
import type { CheckContainer, Container, EnforcedMib } from "./definitions.ts";

/** Where a volume's content is kept: a job's volume of a user, or a service's disk of a user in a region. */
export type VolumeSource =
  | { readonly kind: "volume"; readonly username: string; readonly name: string }
  | { readonly kind: "disk"; readonly username: string; readonly region: string; readonly name: string };

/** A volume that a container mounts; `name` is the one that its `mounts` refer to. */
type Volume = { readonly name: string; readonly source: VolumeSource; readonly readOnly: boolean };

/**
 * Identifies a unit: one container of one instance. A runtime that keeps units stores these labels with them, so that
 * `adopt` can return them to the next server.
 */
export type UnitLabels = {
  /** The uid of the workload. */
  readonly workload: string;
  /** The name of the instance: `web-0`. */
  readonly instance: string;
  /** The index of the container in the definition. */
  readonly container: number;
  /** Rises when running instances have to be replaced. A unit of an older generation is outdated. */
  readonly generation: number;
};

/**
 * What its instance is called in the log: `web-0`, and `web-0-g2` where it replaces another one. Both write for a while, and
 * one name for both would mix the lines of a version that crashes with those of the one that serves.
 */
export function nameInLog({ instance, generation }: Pick<UnitLabels, "instance" | "generation">): string {
  return generation === 0 ? instance : `${instance}-g${generation}`;
}

/** A unit to be started. */
export type UnitSpec = UnitLabels & {
  readonly username: string;
  readonly region: string;
  readonly definition: Container;
  readonly volumes: readonly Volume[];
  /** Container ports that must be reachable. */
  readonly ports: readonly number[];
  readonly syncTimezone: boolean;
  /**
   * Only for jobs. `attempt` counts from 1. A runtime whose programs outlive the server for a moment lets them write
   * their end into `record` (`RunRecord`); others ignore it.
   */
  readonly run?: { readonly attempt: number; readonly record: string };
};

type Preparing = {
  /** Aborted when the unit isn't wanted any more. */
  readonly signal: AbortSignal;
  /** Tells the workload's user what is waited for: a line in its log, and its message until the unit starts. */
  readonly note: (line: string) => void;
};

/** How a unit ended; lifecycle/exit.ts has the words for it. */
export type Exit = {
  /** Null when a signal ended it, or when it never ran. */
  readonly code: number | null;
  readonly signal?: string;
  /** It was killed because it used more memory than its limit. Its code is 137, as in Docker and Kubernetes. */
  readonly isOutOfMemory?: true;
  /** It is gone, and so is how it ended: somebody removed it behind the server's back. */
  readonly isRemoved?: true;
  /** Why the runtime couldn't start it; not a failure of the program. */
  readonly startError?: string;
  /** Why it says nothing about the workload, as a clause: "Docker didn't answer". Such an end or failed start isn't counted. */
  readonly surroundings?: string;
  /** When it ended, if the runtime knows better than the moment at which the end is noticed. ISO 8601 in UTC. */
  readonly at?: string;
};

/** A start that failed because something that it needs doesn't answer. It says nothing about the workload. */
export class Away extends Error {
  override readonly name = "Away";
}

/** A line of a unit's output. `cursor` is its position in the stream, for runtimes that can resume one. */
export type LogLine = { readonly at: Date; readonly text: string; readonly cursor?: string };

/** Longer lines are passed on in several pieces. */
export const MAX_LINE_BYTES = 16 * 1024;

/** The text of a line, or of a piece of one. Invalid UTF-8 and NUL become U+FFFD. */
export function lineText(bytes: Buffer, isContinued: boolean): string {
  const text = bytes.toString("utf8").replaceAll("\0", "\uFFFD");
  return isContinued ? `[…] ${text}` : text;
}

/** A character of UTF-8 that would be cut belongs to the next piece: its bytes but the first are 10xxxxxx. */
export function endOfPiece(bytes: Buffer): number {
  let end = MAX_LINE_BYTES;
  while (end > MAX_LINE_BYTES - 3 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}

export type LogReader = {
  /** Resume after this line; from the beginning if undefined, or if the cursor is one of an earlier start. */
  readonly after: string | undefined;
  /** Undefined when the next line may follow immediately; otherwise wait, so that a flood slows down its own program. */
  readonly write: (line: LogLine) => Promise<void> | undefined;
  /** Aborted when nothing is read any more because the server leaves the unit running. */
  readonly signal: AbortSignal;
};

/** `starting` until its first success, or until it has failed too often. */
export type Health = "starting" | "healthy" | "unhealthy";

/** A running unit. */
export type Unit = {
  readonly labels: UnitLabels;
  /** Resolves, never rejects, when the unit is gone and all its output was passed to the log reader. */
  readonly exited: Promise<Exit>;
  /** Resolves with the first sign of life, usually output. */
  readonly spoke: Promise<void>;
  /** Whether all its ports answer. Undefined for a unit without ports. */
  readonly answers: (() => Promise<boolean>) | undefined;
  /**
   * What its own health check says, which then decides in place of `answers`, and how often that can change. It also knows
   * how long a start may take, so it doesn't say `starting` for ever. Undefined without one. Never rejects.
   */
  readonly health?: { readonly look: () => Promise<Health>; readonly everyMs: number } | undefined;
  /** Whether it certainly runs at this moment; undefined where an end is always known at once. Never rejects. */
  readonly runs?: () => Promise<boolean>;
  /** `host:port` at which it takes connections for a container port; undefined if that port isn't one of its own. */
  readonly address: (containerPort: number) => string | undefined;
  /** Why it does nothing although it runs, as a clause; undefined while it isn't hindered, and where that can't happen. */
  readonly hindrance?: () => string | undefined;
  /** The digest of the image that it runs, in the image's repository; undefined where that isn't known. */
  readonly imageDigest?: string | undefined;
  /** Starts reading its output. Called once, right after the start or adoption. */
  readonly readLog: (reader: LogReader) => void;
  /** Asks it to end and kills it after the grace time; resolves with `exited`. Idempotent. */
  readonly stop: () => Promise<void>;
  /**
   * Removes what is left of it. Called once its end was recorded and its lines are stored: a runtime whose units outlive
   * the server keeps an ended one until then, so that the next server can read how it ended. Never rejects.
   */
  readonly discard: () => Promise<void>;
  /**
   * Changes its memory limit while it runs. Resolves to whether that worked; if not, the unit has to be replaced.
   * Undefined where a running unit's limit can't be changed.
   */
  readonly resize?: (limitMib: number | undefined) => Promise<boolean>;
  /** The memory limit that it runs with, in MiB, where `resize` exists. */
  readonly limitMib?: () => number | undefined;
};

/** A container port of a service that must have one address for as long as the service exists. */
export type Exposed = {
  readonly workload: string;
  readonly containerPort: number;
  /** The address from before, to be kept if possible. */
  readonly assigned: string | undefined;
  /** Reject rather than take another port than that of `assigned`. */
  readonly isExact?: boolean;
  /** Addresses of the units that take connections now. */
  readonly targets: () => readonly string[];
};

export type Exposure = { readonly address: string; readonly release: () => Promise<void> };

/**
 * Runs units and knows nothing of jobs, services, quotas or restarts; everything else in this folder works over it. An
 * implementation is a folder in `engines/`.
 */
export type Runtime = {
  /** Whether units can outlive the server. If not, they end with it and `adopt` returns none. */
  readonly keepsUnits: boolean;
  readonly check: CheckContainer;
  /** The memory that a container with this limit counts as, in MiB. */
  readonly reservedMib: (limitMib: number | undefined) => number;
  readonly enforcedMib?: EnforcedMib;
  /**
   * Fetches what the unit needs before it can start, such as its image, or rejects if that can't be had. Called right
   * before `start` and not counted as one: a slow registry holds up no other workload. Undefined if nothing is fetched.
   */
  readonly prepare?: (spec: UnitSpec, preparing: Preparing) => Promise<void>;
  /** Starts a unit, or rejects if it can't be started. `note` writes a line about it into the workload's log. */
  readonly start: (spec: UnitSpec, note: (line: string) => void) => Promise<Unit>;
  /** The units of an earlier server: those that still run, and ended ones whose end nobody recorded. Called once, before
   * anything is started. */
  readonly adopt: () => Promise<readonly Unit[]>;
  readonly expose: (exposed: Exposed) => Promise<Exposure>;
  /** Resolves when no forwarded connection to this address of a unit is open. */
  readonly drained: (address: string) => Promise<void>;
  /** The path of a volume's content, for answers. */
  readonly volumePath: (source: VolumeSource) => string;
  /** Removes what a deleted workload leaves behind, except volumes. Idempotent. */
  readonly clear: (workload: string) => Promise<void>;
  /** The same for all workloads but these. Never rejects. */
  readonly clearOthers: (kept: ReadonlySet<string>) => Promise<void>;
  readonly readiness: () => Readiness;
  /** How long what runs the units has answered so far, in milliseconds; undefined where it always does. */
  readonly answeredMs?: () => number;
  /** Frees what this server holds. Units that still run are left alone. */
  readonly close: () => Promise<void>;
};

/**
 * The latest run of one container of a job. Stored in a fixed-size file, created before the job is accepted and only
 * overwritten afterwards, so it can be updated on a full disk. A runtime may let the program write its own end
 * (UnitSpec.run), so the end is known even if the server died first.
 */
export type RunRecord =
  | { readonly state: "reserved" }
  /** Interrupted: the engine stopped the unit during shutdown, which is no failure of the job. */
  | { readonly state: "begun" | "interrupted"; readonly attempt: number }
  | { readonly state: "ended"; readonly attempt: number; readonly code: number | null; readonly at: string };

/** Half of the smallest disk sector, so a write is atomic. */
const RECORD_BYTES = 256;

/** A record of a run (jobs/run-record.ts) as the full content of its file. */
export function encodeRecord(record: RunRecord): string {
  return `${JSON.stringify(record).padEnd(RECORD_BYTES - 1)}\n`;
}

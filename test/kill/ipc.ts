import type { BotParts } from "../../src/bot/compose/bot.ts";
import type { StorePlace } from "../../src/bot/store/database/session.ts";
import type { Edge } from "./points.ts";

/** How many times faster than a clock the time of the replicas and of their database goes: leases, pauses, expiries. */
export const SPEED = Number(process.env["GANTRY_KILL_SPEED"] ?? 10);

/** What a replica is made of; everything else of it is as it is deployed. */
export type ReplicaSetup = {
  readonly number: number;
  readonly database: Exclude<StorePlace, { readonly kind: "shared" }>;
  /** When the faster time began, in milliseconds since 1970. */
  readonly epochMs: number;
  readonly slack: BotParts["slack"] & { readonly apiUrl: string };
  readonly service: { readonly url: string; readonly username: string; readonly token: string };
  readonly keys: string;
  readonly policy: string;
  /** A broken bot, which has to be found out: it hands out what was claimed as if it were not, and claims it again. */
  readonly replays: boolean;
};

/** A function of the store is about to be called, or has committed. */
export type Step = {
  readonly edge: Edge;
  readonly when: "before" | "after";
  /** The Change that it is about, where there is one. */
  readonly changeId?: string | undefined;
  /** After it: whether it did something. */
  readonly isEffective?: boolean;
};

export type FromReplica =
  | { readonly kind: "loaded" }
  | { readonly kind: "ready"; readonly port: number }
  | { readonly kind: "failed"; readonly why: string }
  | { readonly kind: "step"; readonly ask: number; readonly step: Step }
  /** The function was called and works; whoever asked for that kills. */
  | { readonly kind: "started" }
  | { readonly kind: "log"; readonly line: string };

/** `start`: call the function, say so, and go no further. `stay`: nothing; the end comes from outside. */
export type Order = "go" | "start" | "stay";

export type ToReplica =
  | { readonly kind: "open"; readonly setup: ReplicaSetup }
  | { readonly kind: "leave"; readonly ask: number; readonly leave: Order };

/** Who sends a request, and for which Change a write is sent. */
export const replicaHeader = "x-kill-replica";
export const changeHeader = "x-kill-change";

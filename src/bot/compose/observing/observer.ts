import type { Measure } from "../../../platform/trail.ts";
import type { TransportParts } from "../../slack/receive/transport.ts";
import type { Store } from "../../store/store.ts";
import type { LaneName, Lanes } from "../../workflow/inbox/lanes.ts";

/** What became of a request: each counts once, when it happens. Parts of a request for several workloads don't count. */
export const changeStates = [
  "requested",
  "approved",
  "returned",
  "rejected",
  "cancelled",
  "expired",
  "drifted",
  "sent",
  "doubted",
  "done",
  "failed",
  "unknown",
] as const;
export type ChangeMove = (typeof changeStates)[number];

/** What is read when somebody asks for it. */
export type Gauges = {
  readonly lanes: Lanes["status"];
  /** Ages of the connections of Socket Mode; undefined over HTTP. */
  readonly links: (() => readonly number[]) | undefined;
  readonly trouble: Store["trouble"];
  readonly waiting: Store["waiting"];
};

/** Sees what the bot does anyway, and changes nothing about it. Nothing here throws because of what it observes. */
export type Observer = {
  readonly measure: Measure;
  /** Follows everything that Slack delivers until it is answered. */
  readonly followed: (handle: TransportParts["route"]) => TransportParts["route"];
  /** Work that nobody's interaction led to. */
  readonly background: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly laneFull: (lane: LaneName) => void;
  /** Secrets removed from lines of a log. */
  readonly redacted: (secrets: number) => void;
  readonly changed: (state: ChangeMove) => void;
  /** A request was sent, and ended after so long. */
  readonly ran: (outcome: "done" | "failed" | "unknown", ms: number) => void;
  readonly show: (gauges: Gauges) => void;
};

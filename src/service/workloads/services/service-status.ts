import type { RefusedOperation } from "../../../api/schema.ts";

/** The words of a service's status; see ServiceStatus in openapi.yaml. Only what an autoscaler brings back is `Idle`. */
export type ServiceState =
  | "Starting"
  | "Running"
  | "Stopping"
  | "Stopped"
  | "Idle"
  | "Updating"
  | "Failed"
  | "Deleting";

/** The state of one instance: `failing` in a crash loop, `waiting` after a crash or before it is ready. */
export type InstanceState = "ready" | "waiting" | "failing" | "stopping";

export type Situation = {
  readonly deleting: boolean;
  readonly running: boolean;
  /** An accepted change that isn't finished yet. */
  readonly activity: "Starting" | "Updating" | undefined;
  readonly instances: readonly InstanceState[];
};

/** The status word. A running service with occasional crashes is still `Running`. */
export function serviceState({ deleting, running, activity, instances }: Situation): ServiceState {
  if (deleting) return "Deleting";
  if (!running) return instances.length > 0 ? "Stopping" : "Stopped";
  if (instances.includes("failing")) return "Failed";
  return activity ?? "Running";
}

/** What runs can't be started and what is stopped can't be stopped. Nothing else has to wait, except for a deletion. */
const moves = {
  start: {
    operation: "startService",
    participle: "started",
    forbidden: ["Starting", "Running", "Updating", "Deleting"],
  },
  stop: { operation: "stopService", participle: "stopped", forbidden: ["Stopped", "Stopping", "Deleting"] },
  restart: {
    operation: "restartService",
    participle: "restarted",
    forbidden: ["Stopped", "Idle", "Stopping", "Deleting"],
  },
  update: { operation: "updateService", participle: "updated", forbidden: ["Deleting"] },
} as const satisfies Record<string, { readonly forbidden: readonly ServiceState[]; readonly [key: string]: unknown }>;

export type Move = keyof typeof moves;

/** Why the move is not possible in this state, as a sentence with the next step; undefined when it is. */
export function refusalOf(move: Move, name: string, state: ServiceState): string | undefined {
  const { participle, forbidden } = moves[move];
  if (!forbidden.some((each) => each === state)) return undefined;
  return `service ${name} is ${state.toLowerCase()} and can't be ${participle}: ${hintOf(move, state)}`;
}

const movesInOrder = ["start", "stop", "restart", "update"] as const;

/**
 * The moves that this state forbids, for whoever asks before they try. Those that would change nothing aren't among them: a
 * start of what runs and a stop of what is stopped.
 */
export function refusedMoves(name: string, state: string): readonly RefusedOperation[] {
  return movesInOrder.flatMap((move) => {
    const isDone = (move === "start" && state === "Running") || (move === "stop" && state === "Stopped");
    const reason = isDone ? undefined : refusalOf(move, name, state as ServiceState); // another word forbids nothing
    return reason === undefined
      ? []
      : [{ operation: moves[move].operation, reason: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.` }];
  });
}

function hintOf(move: Move, state: ServiceState): string {
  if (state === "Deleting") return "wait until it is gone";
  if (state === "Idle") return "it has no instances";
  if (move === "stop") return state === "Stopped" ? "nothing to stop" : "wait until it is stopped";
  return move === "start" ? "it was started already" : "start it first";
}

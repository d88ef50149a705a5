/** The words of a service's status; see ServiceStatus in openapi.yaml. */
export type ServiceState = "Starting" | "Running" | "Stopping" | "Stopped" | "Updating" | "Failed" | "Deleting";

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

export type Move = "start" | "stop" | "restart" | "update";

const forbidden: { readonly [M in Move]: readonly ServiceState[] } = {
  start: ["Starting", "Running", "Updating", "Stopping", "Deleting"],
  stop: ["Starting", "Stopped", "Stopping", "Deleting"],
  restart: ["Starting", "Stopped", "Stopping", "Deleting"],
  update: ["Starting", "Deleting"],
};

const hints: { readonly [S in ServiceState]: string } = {
  Starting: "wait until it runs",
  Running: "it is already running",
  Updating: "wait until the update is done",
  Stopping: "wait until it is stopped",
  Stopped: "start it first",
  Failed: "read its log",
  Deleting: "wait until it is gone",
};

/** Why the move is not possible in this state, as a sentence with the next step; undefined when it is. */
export function refusalOf(move: Move, name: string, state: ServiceState): string | undefined {
  if (!forbidden[move].includes(state)) return undefined;
  const hint = move === "stop" && state === "Stopped" ? "nothing to stop" : hints[state];
  return `service ${name} is ${state.toLowerCase()} and can't be ${participles[move]}: ${hint}`;
}

const participles: { readonly [M in Move]: string } = {
  start: "started",
  stop: "stopped",
  restart: "restarted",
  update: "updated",
};

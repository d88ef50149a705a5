import { exitClause } from "../../../workloads/lifecycle/exit-text.ts";
import type { Exit } from "../../../workloads/runtime.ts";
import type { KubeObject } from "../cluster/kinds.ts";

export type ContainerStatus = KubeObject<"Pod">["status"]["containerStatuses"][number];
export type Terminated = NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>;
/** How a container ended, as far as it is told to people. */
export type End = Pick<Terminated, "exitCode"> & Partial<Pick<Terminated, "reason" | "message" | "finishedAt">>;

/** Reasons of a container that never ran: its program or working directory doesn't exist, for example. */
const NOT_STARTED: ReadonlySet<string> = new Set(["StartError", "ContainerCannotRun", "RunContainerError"]);

export function exitOf({ exitCode, reason = "", message = reason }: End): Exit {
  if (NOT_STARTED.has(reason)) return { code: null, startError: shortened(message) };
  return { code: exitCode, ...(reason === "OOMKilled" && { isOutOfMemory: true }) };
}

/** How it ended, as a clause: "exited with code 137 (out of memory)". */
export function endClause(terminated: Terminated): string {
  return exitClause(exitOf(terminated));
}

/** How it last ended: also of one that waits for its restart, or runs again. */
export function lastEnd({ state, lastState }: ContainerStatus): Terminated | undefined {
  return state?.terminated ?? lastState?.terminated;
}

const MOST_CHARACTERS = 600;
/** Layers that pass an error on, before what it says. */
const LAYERS = /^.*(?:unable to start container process: |rpc error: code = \w+ desc = )/u;

/** A message of Kubernetes on one line, without its layers. Some are pages long. */
export function shortened(message: string): string {
  const line = message.replaceAll(/\s+/gu, " ").trim().replace(LAYERS, "");
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS - 1)}…` : line;
}

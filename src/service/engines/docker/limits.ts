import type { Limit } from "../../engine.ts";

/** For people, also in refusals. */
export const titles = { docker: "Docker", podman: "Podman" } as const;

type Daemon = {
  /** Whether it runs on this machine. */
  readonly isLocal: boolean;
  readonly limitsMemory: boolean;
};

/** What Docker and Podman can't honour. */
export function dockerLimits({ isLocal, limitsMemory }: Daemon): readonly Limit[] {
  return [
    limitsMemory
      ? { feature: "memory", effect: "partly", why: DEFAULT_MEMORY }
      : { feature: "memory", effect: "kept", why: NO_MEMORY },
    { feature: "localhost", effect: "partly", why: BY_NAME },
    isLocal
      ? { feature: "ports", effect: "partly", why: THIS_MACHINE }
      : { feature: "ports", effect: "refused", why: OTHER_MACHINE },
    {
      feature: "domains",
      effect: "refused",
      why: "nothing routes domains here: point your own proxy at a port mapping",
    },
    {
      feature: "timezone",
      effect: "partly",
      why: "a container gets the variable TZ; its image must have the time zones",
    },
  ];
}

const DEFAULT_MEMORY = "a container gets at least 6 MiB, and 512 MiB without a limit, so that the quotas hold";
const NO_MEMORY = "this daemon can't limit memory: its user needs the cgroup controller for memory";
const BY_NAME = "the second container of web-0 is web-0-2 in its network, not localhost";
const THIS_MACHINE = "a port mapping gets an address of this machine, which answers while the workload API runs";
const OTHER_MACHINE = "the daemon publishes ports on 127.0.0.1 of another machine: run the workload API there";

import type { Health, Unit } from "../../../workloads/runtime.ts";
import type { ContainerHealth } from "../daemon/daemon-answers.ts";
import type { DaemonApi } from "../daemon/daemon-client.ts";

/** How late a daemon may be with a check. */
const LATE_MS = 2_000;

/** The least time between two looks at a container that was healthy, however often it is checked. */
const LEAST_MS = 1_000;

type HealthChecked = {
  /** How long the daemon has answered so far: it checks nothing while it is away. */
  readonly answeredMs: () => number;
  readonly id: string;
  readonly check: ContainerHealth;
  readonly daemon: Pick<DaemonApi, "inspectContainer" | "checkHealth">;
  /** Whether somebody has to run the checks where the daemon doesn't. */
  readonly mayRunNone: boolean;
};

/**
 * What the health check of a started container says. One that never ends is `unhealthy` when it had long enough to fail as
 * often as it may: Podman 4.3 waits for it for ever.
 */
export function healthOf({ answeredMs, id, check, daemon, mayRunNone }: HealthChecked): NonNullable<Unit["health"]> {
  const { intervalMs, timeoutMs, startMs, retries } = check;
  const patienceMs = startMs + (retries + 1) * (intervalMs + timeoutMs + LATE_MS);
  const startedAt = answeredMs();
  let last: Health = "starting";
  let checkedAt = check.checkedAt;
  let checkedSince = startedAt;

  async function look(): Promise<Health> {
    const found = (await daemon.inspectContainer(id))?.health;
    if (!found) return last;
    if (found.checkedAt !== checkedAt) {
      checkedAt = found.checkedAt;
      checkedSince = answeredMs();
    }
    if (found.state !== "starting") return found.state;
    return answeredMs() - startedAt > patienceMs ? "unhealthy" : "starting";
  }

  return {
    everyMs: Math.max(intervalMs, LEAST_MS),
    async look() {
      try {
        last = await look();
        const isDue = answeredMs() - checkedSince > intervalMs + LATE_MS;
        if (!mayRunNone || !isDue) return last;
        checkedSince = answeredMs();
        await daemon.checkHealth(id, timeoutMs + LATE_MS);
        last = await look();
      } catch {
        // The daemon is away, or the check took too long.
      }
      return last;
    },
  };
}

import type { Clock } from "../../../../platform/clock.ts";
import type { Health } from "../../../workloads/runtime.ts";
import type { ContainerHealth, DaemonApi } from "../daemon/daemon-api.ts";

/** How late a daemon may be with a check. */
const LATE_MS = 2_000;

type HealthChecked = {
  readonly clock: Pick<Clock, "elapsedMs">;
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
export function healthOf({ clock, id, check, daemon, mayRunNone }: HealthChecked): () => Promise<Health> {
  const { intervalMs, timeoutMs, startMs, retries } = check;
  const patienceMs = startMs + (retries + 1) * (intervalMs + timeoutMs + LATE_MS);
  const startedAt = clock.elapsedMs();
  let last: Health = "starting";
  let checkedAt = check.checkedAt;
  let checkedSince = startedAt;

  async function look(): Promise<Health> {
    const found = (await daemon.inspectContainer(id))?.health;
    if (!found) return last;
    if (found.checkedAt !== checkedAt) {
      checkedAt = found.checkedAt;
      checkedSince = clock.elapsedMs();
    }
    if (found.state !== "starting") return found.state;
    return clock.elapsedMs() - startedAt > patienceMs ? "unhealthy" : "starting";
  }

  return async () => {
    try {
      last = await look();
      const isDue = clock.elapsedMs() - checkedSince > intervalMs + LATE_MS;
      if (!mayRunNone || !isDue || last === "healthy") return last;
      checkedSince = clock.elapsedMs();
      await daemon.checkHealth(id, timeoutMs + LATE_MS);
      last = await look();
    } catch {
      // The daemon is away, or the check took too long.
    }
    return last;
  };
}

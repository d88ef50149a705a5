import { expect, test } from "vitest";
import type { ContainerHealth } from "../../../../src/service/engines/docker/daemon/daemon-api.ts";
import { Inspected, inspectedOf } from "../../../../src/service/engines/docker/daemon/daemon-schemas.ts";
import { healthOf } from "../../../../src/service/engines/docker/units/health-check.ts";

const container = {
  Id: "c1",
  Name: "/web",
  Image: "sha256:1",
  Config: { Image: "web:1" },
  HostConfig: {},
  State: { Status: "running", ExitCode: 0, FinishedAt: "0001-01-01T00:00:00Z" },
  NetworkSettings: {},
};

const CHECK = { Test: ["CMD", "true"], Interval: 5_000_000_000, StartPeriod: 0, Retries: 0 };

const inspectedWith = (Health: object | null, Healthcheck: object | null = CHECK) =>
  inspectedOf(
    Inspected.parse({
      ...container,
      Config: { ...container.Config, Healthcheck },
      State: { ...container.State, Health },
    }),
  );

test.each([
  ["of Docker before its first check", { Status: "starting", FailingStreak: 0, Log: [] }, "starting"],
  ["of Podman before its first check", { Status: "starting", FailingStreak: 0, Log: null }, "starting"],
  ["of Podman before its start", { Status: "", Log: null }, "starting"],
  ["that passed", { Status: "healthy", Log: [{ End: "2026-11-25T23:50:52Z", ExitCode: 0 }] }, "healthy"],
  ["that failed", { Status: "unhealthy", Log: [{ End: "2026-11-25T23:50:52Z", ExitCode: 1 }] }, "unhealthy"],
] as const)("a health check %s", (_, health, state) => {
  expect(inspectedWith(health).health).toMatchObject({ state, intervalMs: 5_000, timeoutMs: 30_000, retries: 3 });
});

test.each([
  ["Docker", null, null],
  ["Podman, which has a state without a check", { Status: "", FailingStreak: 0, Log: null }, null],
  ["an image whose check somebody turned off", { Status: "none", Log: null }, { Test: ["NONE"] }],
])("there may be no health check: %s", (_, health, check) => {
  expect(inspectedWith(health, check).health).toBeUndefined();
});

/** A daemon with a container whose check passes at its third run, if somebody runs it. */
function daemonWith({ passes = true, times = {} }: { passes?: boolean; times?: Partial<ContainerHealth> } = {}) {
  const check: ContainerHealth = {
    state: "starting",
    checkedAt: undefined,
    intervalMs: -2_000, // due at once, also one that may be late
    timeoutMs: 10,
    startMs: 60_000,
    retries: 3,
    ...times,
  };
  let runs = 0;
  const state = () => (passes && runs >= 3 ? "healthy" : "starting");
  const checkHealth = async (): Promise<void> => void (runs += 1);
  const inspectContainer = async () => ({ ...inspectedWith(null), health: { ...check, state: state() } as const });
  return { check, runs: () => runs, daemon: { inspectContainer, checkHealth } };
}

test("a check that Podman doesn't run is run for it until it passes", async () => {
  const { check, daemon, runs } = daemonWith();
  const health = healthOf({ id: "c1", check, daemon, mayRunNone: true });

  const said = [await health(), await health(), await health(), await health()];

  expect(said).toEqual(["starting", "starting", "healthy", "healthy"]);
  expect(runs()).toBe(3);
});

test("Docker runs its checks itself, and so does Podman where it does", async () => {
  const docker = daemonWith();
  const podman = daemonWith({ times: { intervalMs: 60_000 } });

  await healthOf({ id: "c1", ...docker, mayRunNone: false })();
  await healthOf({ id: "c1", ...podman, mayRunNone: true })();

  expect([docker.runs(), podman.runs()]).toEqual([0, 0]);
});

test("a check that says nothing in all its time counts as failed", async () => {
  const { check, daemon } = daemonWith({ passes: false, times: { startMs: -1, timeoutMs: 0 } });

  expect(await healthOf({ id: "c1", check, daemon, mayRunNone: false })()).toBe("unhealthy");
});

test("while the daemon is away, what it said last holds", async () => {
  const { check, daemon } = daemonWith();
  let isAway = false;
  const inspectContainer = async () => {
    if (isAway) throw new Error("nothing listens there");
    return { ...inspectedWith(null), health: { ...check, state: "healthy" } as const };
  };
  const health = healthOf({ id: "c1", check, daemon: { ...daemon, inspectContainer }, mayRunNone: true });

  expect(await health()).toBe("healthy");
  isAway = true;
  expect(await health()).toBe("healthy");
});

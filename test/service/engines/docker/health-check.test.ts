import { expect, test } from "vitest";
import { stillClock } from "../../../support/test-clock.ts";
import {
  type ContainerHealth,
  InspectedContainer,
} from "../../../../src/service/engines/docker/daemon/daemon-answers.ts";
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
  InspectedContainer.parse({
    ...container,
    Config: { ...container.Config, Healthcheck },
    State: { ...container.State, Health },
  });

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
function daemonWith({ passes = true } = {}) {
  const check: ContainerHealth = {
    state: "starting",
    checkedAt: undefined,
    intervalMs: 5_000,
    timeoutMs: 1_000,
    startMs: 60_000,
    retries: 3,
  };
  let runs = 0;
  const state = () => (passes && runs >= 3 ? "healthy" : "starting");
  const checkHealth = async (): Promise<void> => void (runs += 1);
  const inspectContainer = async () => ({ ...inspectedWith(null), health: { ...check, state: state() } as const });
  return { check, runs: () => runs, daemon: { inspectContainer, checkHealth } };
}

/** When a check that was due counts as not run. */
const OVERDUE_MS = 5_000 + 2_000 + 1;

test("a check that Podman doesn't run is run for it, also once it has passed: it may fail later", async () => {
  const { check, daemon, runs } = daemonWith();
  const clock = stillClock();
  const health = healthOf({ answeredMs: clock.elapsedMs, id: "c1", check, daemon, mayRunNone: true });
  const said = [await health.look()];

  for (let turn = 0; turn < 4; turn += 1) {
    await clock.passMs(OVERDUE_MS);
    said.push(await health.look());
  }

  expect(said).toEqual(["starting", "starting", "starting", "healthy", "healthy"]);
  expect(runs()).toBe(4);
});

test("Docker runs its checks itself, and so does Podman where it does", async () => {
  const [docker, podman] = [daemonWith(), daemonWith()];
  const clock = stillClock();
  const healths = [
    healthOf({ answeredMs: clock.elapsedMs, id: "c1", ...docker, mayRunNone: false }),
    healthOf({ answeredMs: clock.elapsedMs, id: "c1", ...podman, mayRunNone: true }),
  ];

  for (const health of healths) await health.look();
  await clock.passMs(OVERDUE_MS - 2);
  for (const health of healths) await health.look();
  await clock.passMs(OVERDUE_MS);
  await healths[0]?.look();

  expect([docker.runs(), podman.runs()]).toEqual([0, 0]);
});

test("a check that says nothing in all its time counts as failed", async () => {
  const { check, daemon } = daemonWith({ passes: false });
  const clock = stillClock();
  const health = healthOf({ answeredMs: clock.elapsedMs, id: "c1", check, daemon, mayRunNone: false });
  // Its start, and four checks with their intervals, each as late as it may be.
  await clock.passMs(60_000 + 4 * (5_000 + 1_000 + 2_000));
  expect(await health.look()).toBe("starting");

  await clock.passMs(1);

  expect(await health.look()).toBe("unhealthy");
});

test("while the daemon is away, what it said last holds", async () => {
  const { check, daemon } = daemonWith();
  let isAway = false;
  const inspectContainer = async () => {
    if (isAway) throw new Error("nothing listens there");
    return { ...inspectedWith(null), health: { ...check, state: "healthy" } as const };
  };
  const health = healthOf({
    answeredMs: stillClock().elapsedMs,
    id: "c1",
    check,
    daemon: { ...daemon, inspectContainer },
    mayRunNone: true,
  });

  expect(await health.look()).toBe("healthy");
  isAway = true;
  expect(await health.look()).toBe("healthy");
});

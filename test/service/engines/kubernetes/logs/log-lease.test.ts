import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeKubeClient } from "../../../../../src/service/engines/kubernetes/cluster/kube-client.ts";
import { keepLease, type LogLease } from "../../../../../src/service/engines/kubernetes/logs/log-lease.ts";
import { until } from "../../../../support/until.ts";
import { openFakeApiServer } from "../support/fake-api-server.ts";

/** A cluster, and replicas that want its lease. `paused` stops a replica's clock-driven work as SIGSTOP would. */
async function world() {
  const server = await openFakeApiServer();
  const api = makeKubeClient({ kubeConfig: server.kubeConfig(), timeoutMs: 1_000 });
  const working: string[] = [];
  const leases: LogLease[] = [];
  onTestFinished(async () => {
    await Promise.all(leases.map((lease) => lease.close()));
    api.close();
    await server.stop();
  });
  const start = (identity: string) => {
    const clock = { jumpMs: 0 };
    const lease = keepLease({
      api,
      namespace: "team",
      identity,
      now: () => new Date(Date.now() + clock.jumpMs),
      elapsedMs: () => performance.now() + clock.jumpMs,
      renewMs: 50,
      durationMs: 1_000,
      onEvent: () => {},
      async whileHeld(signal) {
        working.push(identity);
        await sleep(1_000_000, undefined, { signal }).catch(() => undefined);
        working.splice(working.indexOf(identity), 1);
      },
    });
    leases.push(lease);
    return { lease, clock };
  };
  const spec = () => server.objects.find("leases", "team", "gantry-log-collector")?.["spec"];
  return { server, start, working, spec };
}

describe("the lease of the log collector", () => {
  test("is held by one replica of four", async () => {
    const { start, working } = await world();
    const replicas = ["a", "b", "c", "d"].map(start);

    await until(() => working.length === 1);
    await sleep(300);

    expect(working).toHaveLength(1);
    expect(replicas.filter(({ lease }) => lease.isHeld())).toHaveLength(1);
    expect(replicas.map(({ lease }) => lease.problem())).toEqual([undefined, undefined, undefined, undefined]);
  });

  test("has times with six digits after the second, or else the API server refuses it", async () => {
    const { start, working, spec } = await world();
    start("a");
    await until(() => working.length === 1);

    expect(spec()).toMatchObject({
      holderIdentity: "a",
      renewTime: expect.stringMatching(/T\d\d:\d\d:\d\d\.\d{6}Z$/u),
      acquireTime: expect.stringMatching(/\.\d{6}Z$/u),
      leaseDurationSeconds: 1,
    });
  });

  test("is given back at the end, and taken at once", async () => {
    const { start, working, spec } = await world();
    const { lease } = start("a");
    await until(() => working.includes("a"));

    await lease.close();
    expect(spec()).not.toHaveProperty("holderIdentity");
    const { lease: next } = start("b");

    await until(() => next.isHeld());
    expect(working).toEqual(["b"]);
    expect(spec()).toMatchObject({ leaseTransitions: 1 });
  });

  test("of a replica that died is taken over after its time", async () => {
    const { start, working, server } = await world();
    server.objects.put("leases", "team", {
      metadata: { name: "gantry-log-collector" },
      spec: { holderIdentity: "dead", leaseDurationSeconds: 1, renewTime: "2100-01-01T00:00:00.000000Z" },
    });
    const began = performance.now();
    start("b");

    await until(() => working.includes("b"));

    // By the own clock: the dead one's clock may be wrong.
    expect(performance.now() - began).toBeGreaterThan(950);
  });

  test("isn't believed by a replica that was paused, until it asked again", async () => {
    const { start, working } = await world();
    const { lease, clock } = start("a");
    await until(() => working.includes("a"));

    clock.jumpMs = 5_000;

    expect(lease.isHeld()).toBe(false);
    await until(() => lease.isHeld());
  });

  test("that can't be renewed ends the work in time, and says why", async () => {
    const { start, working, server } = await world();
    const { lease } = start("a");
    await until(() => working.includes("a"));

    server.fail("get leases", { status: 403, message: 'leases is forbidden: User "ada" cannot get resource "leases"' });
    await until(() => working.length === 0);

    await until(() => lease.problem() !== undefined);
    expect(lease.problem()).toContain('cannot get resource "leases"');
    server.fail("get leases", undefined);
    await until(() => working.includes("a") && lease.problem() === undefined);
  });
});

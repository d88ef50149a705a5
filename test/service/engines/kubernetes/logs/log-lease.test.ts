import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { makeKubeClient } from "../../../../../src/service/engines/kubernetes/cluster/kube-client.ts";
import {
  keepLease,
  type LeaseOptions,
  type LogLease,
} from "../../../../../src/service/engines/kubernetes/logs/log-lease.ts";
import { until } from "../../../../support/until.ts";
import { openFakeApiServer } from "../support/fake-api-server.ts";

/** A cluster, and replicas that want its lease. `paused` stops a replica's clock-driven work as SIGSTOP would. */
async function world() {
  const server = await openFakeApiServer();
  const api = makeKubeClient({ kubeConfig: server.kubeConfig(), timeoutMs: 60_000 });
  const working: string[] = [];
  const events: string[] = [];
  const leases: LogLease[] = [];
  const end = async (): Promise<void> => {
    await Promise.all(leases.map((lease) => lease.close()));
    api.close();
    await server.stop();
  };
  const start = (identity: string, more: Partial<LeaseOptions> = {}) => {
    const clock = { jumpMs: 0 };
    const lease = keepLease({
      api,
      namespace: "team",
      identity,
      storeId: async () => "postgres-1",
      otherStoreMs: 60_000,
      releasedMs: 60_000,
      now: () => new Date(Date.now() + clock.jumpMs),
      elapsedMs: () => performance.now() + clock.jumpMs,
      renewMs: 50,
      // No busy machine makes a replica lose it.
      durationMs: 60_000,
      onEvent: (message) => void events.push(message),
      async whileHeld(signal) {
        working.push(identity);
        await sleep(1_000_000, undefined, { signal }).catch(() => undefined);
        working.splice(working.indexOf(identity), 1);
      },
      ...more,
    });
    leases.push(lease);
    return { lease, clock };
  };
  const spec = () => server.objects.find("leases", "team", "gantry-log-collector")?.["spec"];
  const storeOnLease = () => server.objects.find("leases", "team", "gantry-log-collector")?.metadata["annotations"];
  return { [Symbol.asyncDispose]: end, server, api, start, working, spec, events, storeOnLease };
}

/** A lease that ends within a test. */
const short = { durationMs: 1_000 };

describe.concurrent("the lease of the log collector", () => {
  test("is held by one replica of four", async () => {
    await using town = await world();
    const { start, working } = town;
    const replicas = ["a", "b", "c", "d"].map((identity) => start(identity));

    await until(() => working.length === 1);
    await sleep(300);

    expect(working).toHaveLength(1);
    expect(replicas.filter(({ lease }) => lease.isHeld())).toHaveLength(1);
    expect(replicas.map(({ lease }) => lease.problem())).toEqual([undefined, undefined, undefined, undefined]);
  });

  test("has times with six digits after the second, or else the API server refuses it", async () => {
    await using town = await world();
    const { start, working, spec } = town;
    start("a");
    await until(() => working.length === 1);

    expect(spec()).toMatchObject({
      holderIdentity: "a",
      renewTime: expect.stringMatching(/T\d\d:\d\d:\d\d\.\d{6}Z$/u),
      acquireTime: expect.stringMatching(/\.\d{6}Z$/u),
      leaseDurationSeconds: 60,
    });
  });

  test("is given back at the end, and taken at once", async () => {
    await using town = await world();
    const { start, working, spec } = town;
    const { lease } = start("a");
    await until(() => working.includes("a"));

    await lease.close();
    expect(spec()).not.toHaveProperty("holderIdentity");
    const { lease: next } = start("b");

    await until(() => next.isHeld());
    expect(working).toEqual(["b"]);
    expect(spec()).toMatchObject({ leaseTransitions: 1 });
  });

  test("is given back also where a renewal that the end cuts off reaches the cluster", async () => {
    await using town = await world();
    const { start, working, spec, api } = town;
    const cutOff = Promise.withResolvers<void>();
    let isLast = false;
    const { lease } = start("a", {
      api: {
        ...api,
        async replace(named, body, signal) {
          if (!isLast) return await api.replace(named, body, signal);
          isLast = false;
          // It is carried out, and its answer comes after the end.
          const written = api.replace(named, body, undefined);
          await written;
          cutOff.resolve();
          // On a busy machine its own time may be over already.
          signal?.throwIfAborted();
          return await new Promise((_, reject) => {
            signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
          });
        },
      },
    });
    await until(() => working.includes("a"));
    isLast = true;
    await cutOff.promise;

    await lease.close();

    expect(spec()).not.toHaveProperty("holderIdentity");
  });

  test("of a replica that died is taken over after its time", async () => {
    await using town = await world();
    const { start, working, server } = town;
    server.objects.put("leases", "team", {
      metadata: { name: "gantry-log-collector" },
      spec: { holderIdentity: "dead", leaseDurationSeconds: 1, renewTime: "2100-01-01T00:00:00.000000Z" },
    });
    const began = performance.now();
    start("b", short);

    await until(() => working.includes("b"));

    // By the own clock: the dead one's clock may be wrong.
    expect(performance.now() - began).toBeGreaterThan(950);
  });

  test("isn't believed by a replica that was paused, until it asked again", async () => {
    await using town = await world();
    const { start, working } = town;
    const { lease, clock } = start("a", short);
    await until(() => working.includes("a"));

    clock.jumpMs = 5_000;

    expect(lease.isHeld()).toBe(false);
    await until(() => lease.isHeld());
  });

  test("that can't be renewed ends the work in time, and says why", async () => {
    await using town = await world();
    const { start, working, server } = town;
    const { lease } = start("a", short);
    await until(() => working.includes("a"));

    server.fail("get leases", { status: 403, message: 'leases is forbidden: User "ada" cannot get resource "leases"' });
    await until(() => working.length === 0);

    await until(() => lease.problem()?.includes('cannot get resource "leases"') === true);
    server.fail("get leases", undefined);
    await until(() => working.includes("a") && lease.problem() === undefined);
    expect(lease.isHeld()).toBe(true);
  });
});

describe.concurrent("the lease of two Gantrys that don't share a log store", () => {
  const production = { storeId: async () => "sqlite-production" };
  const laptop = { storeId: async () => "sqlite-laptop" };
  const named = { kind: "Lease", namespace: "team", name: "gantry-log-collector" } as const;

  test("names the store of its holder, through renewals and after its end", async () => {
    await using town = await world();
    const { start, working, spec, storeOnLease } = town;
    const { lease } = start("shop-1_a", production);
    await until(() => working.length === 1);
    const taken = spec();
    await until(() => JSON.stringify(spec()) !== JSON.stringify(taken));
    expect(storeOnLease()).toEqual({ "gantry/log-store": "sqlite-production" });

    await lease.close();

    expect(spec()).not.toHaveProperty("holderIdentity");
    expect(storeOnLease()).toEqual({ "gantry/log-store": "sqlite-production" });
  });

  test("stays with the one that lives, however wrong the other's clock is, and the other knows who it is", async () => {
    await using town = await world();
    const { start, working, spec, events } = town;
    const moments = { durationMs: 2_000 };
    start("shop-1_a", { ...production, ...moments });
    await until(() => working.length === 1);
    const ahead = new Date(Date.now() + 24 * 3_600_000);
    const { lease } = start("mias-laptop_b", { ...laptop, ...moments, now: () => ahead, otherStoreMs: 300 });

    await until(() => lease.elsewhere() !== undefined);
    const seen = spec();
    // Longer than the laptop would wait for a dead one.
    await until(() => Date.parse(renewTime(spec())) - Date.parse(renewTime(seen)) > 2_500);

    expect(working).toEqual(["shop-1_a"]);
    expect(lease.elsewhere()).toEqual({ host: "shop-1", isAlive: true });
    expect(events).toContain("a Gantry with a log store of its own collects the logs, so they are read live here");
  });

  test("after the holder's death goes to a replica that shares the store, and to another store only much later", async () => {
    await using town = await world();
    const { start, working, server } = town;
    server.objects.put("leases", "team", {
      metadata: { name: named.name, annotations: { "gantry/log-store": "sqlite-production" } },
      spec: { holderIdentity: "shop-1_dead", leaseDurationSeconds: 1 },
    });
    const { lease } = start("mias-laptop_b", { ...laptop, ...short, otherStoreMs: 60_000 });
    await until(() => lease.elsewhere()?.isAlive === false);
    expect(lease.elsewhere()).toEqual({ host: "shop-1", isAlive: false });
    expect(working).toEqual([]);

    start("shop-2_c", { ...production, ...short });

    await until(() => working.includes("shop-2_c"));
    await until(() => lease.elsewhere()?.host === "shop-2");
    expect(working).toEqual(["shop-2_c"]);
  });

  test("of a holder that never comes back is taken by another store after its time", async () => {
    await using town = await world();
    const { start, working, server, storeOnLease } = town;
    server.objects.put("leases", "team", {
      metadata: { name: named.name, annotations: { "gantry/log-store": "sqlite-production" } },
      spec: { holderIdentity: "shop-1_dead", leaseDurationSeconds: 1 },
    });
    const began = performance.now();
    start("mias-laptop_b", { ...laptop, ...short, otherStoreMs: 1_500 });

    await until(() => working.includes("mias-laptop_b"));

    expect(performance.now() - began).toBeGreaterThan(1_450);
    expect(storeOnLease()).toEqual({ "gantry/log-store": "sqlite-laptop" });
  });

  test("survives a restart of its holder: a laptop that sees it free doesn't take it at once", async () => {
    await using town = await world();
    const { start, working } = town;
    const { lease: first } = start("shop-1_a", production);
    await until(() => working.length === 1);
    const { lease: other } = start("mias-laptop_b", { ...laptop, releasedMs: 60_000 });
    await until(() => other.elsewhere() !== undefined);

    await first.close();
    await until(() => other.elsewhere()?.host === undefined);
    expect(working).toEqual([]);
    start("shop-1_c", production);

    await until(() => working.includes("shop-1_c"));
    expect(other.isHeld()).toBe(false);
  });

  test("is free for another store some minutes after its holder gave it back", async () => {
    await using town = await world();
    const { start, working } = town;
    const { lease: first } = start("shop-1_a", production);
    await until(() => working.length === 1);
    await first.close();
    const began = performance.now();

    start("mias-laptop_b", { ...laptop, releasedMs: 200 });
    await until(() => working.includes("mias-laptop_b"));

    expect(performance.now() - began).toBeGreaterThan(190);
  });

  test.each(["postgres-1", "in-cluster-sqlite-1"])(
    "goes back to the store %s as soon as it lives, when a laptop collected meanwhile",
    async (store) => {
      await using town = await world();
      const { start, working, storeOnLease } = town;
      const { lease } = start("mias-laptop_a", laptop);
      await until(() => working.length === 1);

      start("shop-1_b", { storeId: async () => store });

      await until(() => working.join() === "shop-1_b");
      expect(storeOnLease()).toEqual({ "gantry/log-store": store });
      await until(() => lease.elsewhere()?.host === "shop-1");
    },
  );
});

function renewTime(spec: unknown): string {
  return (spec as { renewTime: string }).renewTime; // as the replicas write it
}

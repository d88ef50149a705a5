import { describe, expect, test } from "vitest";
import { restUnlessAborted } from "../../../../../src/platform/waiting.ts";
import { makeKubeClient } from "../../../../../src/service/engines/kubernetes/cluster/kube-client.ts";
import {
  keepLease,
  type LeaseOptions,
  type LogLease,
} from "../../../../../src/service/engines/kubernetes/logs/log-lease.ts";
import { asTimePasses, timePassesUntil } from "../../../../support/as-time-passes.ts";
import { openFakeApiServer } from "../support/fake-api-server.ts";
import { stillClock } from "../../../../support/test-clock.ts";

/** A cluster, and replicas that want its lease, in a time that stands still. `clock.jumpMs` pauses one as SIGSTOP would. */
async function world() {
  const server = await openFakeApiServer();
  const time = stillClock();
  const api = makeKubeClient({ kubeConfig: server.kubeConfig(), clock: time });
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
      clock: {
        ...time,
        now: () => new Date(time.nowMs() + clock.jumpMs),
        elapsedMs: () => time.elapsedMs() + clock.jumpMs,
      },
      renewMs: 5_000,
      durationMs: 15_000,
      onEvent: (message) => void events.push(message),
      async whileHeld(signal) {
        working.push(identity);
        await restUnlessAborted(new Promise(() => undefined), signal);
        working.splice(working.indexOf(identity), 1);
      },
      ...more,
    });
    leases.push(lease);
    return { lease, clock };
  };
  /** Lets time pass until it is so, and no longer. */
  const later = (isSo: () => boolean) => timePassesUntil(time, isSo, 1_000);
  const pass = (ms: number) => {
    const over = time.elapsedMs() + ms;
    return later(() => time.elapsedMs() >= over);
  };
  const spec = () => server.objects.find("leases", "team", "gantry-log-collector")?.["spec"];
  const storeOnLease = () => server.objects.find("leases", "team", "gantry-log-collector")?.metadata["annotations"];
  return { [Symbol.asyncDispose]: end, server, api, time, later, pass, start, working, spec, events, storeOnLease };
}

describe.concurrent("the lease of the log collector", () => {
  test("is held by one replica of four", async () => {
    await using town = await world();
    const { later, pass, start, working } = town;
    const replicas = ["a", "b", "c", "d"].map((identity) => start(identity));

    await later(() => working.length === 1);
    await pass(12_000);

    expect(working).toHaveLength(1);
    expect(replicas.filter(({ lease }) => lease.isHeld())).toHaveLength(1);
    expect(replicas.map(({ lease }) => lease.problem())).toEqual([undefined, undefined, undefined, undefined]);
  });

  test("has times with six digits after the second, or else the API server refuses it", async () => {
    await using town = await world();
    const { later, start, working, spec } = town;
    start("a");
    await later(() => working.length === 1);

    expect(spec()).toMatchObject({
      holderIdentity: "a",
      renewTime: expect.stringMatching(/T\d\d:\d\d:\d\d\.\d{6}Z$/u),
      acquireTime: expect.stringMatching(/\.\d{6}Z$/u),
      leaseDurationSeconds: 15,
    });
  });

  test("is given back at the end, and taken at once", async () => {
    await using town = await world();
    const { later, start, working, spec } = town;
    const { lease } = start("a");
    await later(() => working.includes("a"));

    await lease.close();
    expect(spec()).not.toHaveProperty("holderIdentity");
    const { lease: next } = start("b");

    await later(() => next.isHeld());
    expect(working).toEqual(["b"]);
    expect(spec()).toMatchObject({ leaseTransitions: 1 });
  });

  test("is given back also where a renewal that the end cuts off reaches the cluster", async () => {
    await using town = await world();
    const { later, start, working, spec, api, time } = town;
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
          // Its own time may be over already.
          signal?.throwIfAborted();
          return await new Promise((_, reject) => {
            signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
          });
        },
      },
    });
    await later(() => working.includes("a"));
    isLast = true;
    await asTimePasses(time, () => cutOff.promise);

    await lease.close();

    expect(spec()).not.toHaveProperty("holderIdentity");
  });

  test("of a replica that died is taken over after its time", async () => {
    await using town = await world();
    const { later, start, working, server, time } = town;
    server.objects.put("leases", "team", {
      metadata: { name: "gantry-log-collector" },
      spec: { holderIdentity: "dead", leaseDurationSeconds: 1, renewTime: "2100-01-01T00:00:00.000000Z" },
    });
    start("b");

    await later(() => working.includes("b"));

    // By the own clock: the dead one's clock may be wrong.
    expect(time.elapsedMs()).toBeGreaterThanOrEqual(15_000);
  });

  test("isn't believed by a replica that was paused, until it asked again", async () => {
    await using town = await world();
    const { later, start, working } = town;
    const { lease, clock } = start("a");
    await later(() => working.includes("a"));

    clock.jumpMs = 20_000;

    expect(lease.isHeld()).toBe(false);
    await later(() => lease.isHeld());
  });

  test("that can't be renewed ends the work in time, and says why", async () => {
    await using town = await world();
    const { later, start, working, server } = town;
    const { lease } = start("a");
    await later(() => working.includes("a"));

    server.fail("get leases", { status: 403, message: 'leases is forbidden: User "ada" cannot get resource "leases"' });
    await later(() => working.length === 0);

    await later(() => lease.problem()?.includes('cannot get resource "leases"') === true);
    server.fail("get leases", undefined);
    await later(() => working.includes("a") && lease.problem() === undefined);
    expect(lease.isHeld()).toBe(true);
  });
});

describe.concurrent("the lease of two Gantrys that don't share a log store", () => {
  const production = { storeId: async () => "sqlite-production" };
  const laptop = { storeId: async () => "sqlite-laptop" };
  const named = { kind: "Lease", namespace: "team", name: "gantry-log-collector" } as const;

  test("names the store of its holder, through renewals and after its end", async () => {
    await using town = await world();
    const { later, start, working, spec, storeOnLease } = town;
    const { lease } = start("shop-1_a", production);
    await later(() => working.length === 1);
    const taken = spec();
    await later(() => JSON.stringify(spec()) !== JSON.stringify(taken));
    expect(storeOnLease()).toEqual({ "gantry/log-store": "sqlite-production" });

    await lease.close();

    expect(spec()).not.toHaveProperty("holderIdentity");
    expect(storeOnLease()).toEqual({ "gantry/log-store": "sqlite-production" });
  });

  test("stays with the one that lives, however wrong the other's clock is, and the other knows who it is", async () => {
    await using town = await world();
    const { later, start, working, spec, events, time } = town;
    start("shop-1_a", production);
    await later(() => working.length === 1);
    const ahead = new Date(time.nowMs() + 24 * 3_600_000);
    const clock = { ...time, now: () => ahead };
    const { lease } = start("mias-laptop_b", { ...laptop, clock, otherStoreMs: 10_000 });

    await later(() => lease.elsewhere() !== undefined);
    const seen = spec();
    // Longer than the laptop would wait for a dead one.
    await later(() => Date.parse(renewTime(spec())) - Date.parse(renewTime(seen)) > 20_000);

    expect(working).toEqual(["shop-1_a"]);
    expect(lease.elsewhere()).toEqual({ host: "shop-1", isAlive: true });
    expect(events).toContain("a Gantry with a log store of its own collects the logs, so they are read live here");
  });

  test("after the holder's death goes to a replica that shares the store, and to another store only much later", async () => {
    await using town = await world();
    const { later, start, working, server } = town;
    server.objects.put("leases", "team", {
      metadata: { name: named.name, annotations: { "gantry/log-store": "sqlite-production" } },
      spec: { holderIdentity: "shop-1_dead", leaseDurationSeconds: 1 },
    });
    const { lease } = start("mias-laptop_b", laptop);
    await later(() => lease.elsewhere()?.isAlive === false);
    expect(lease.elsewhere()).toEqual({ host: "shop-1", isAlive: false });
    expect(working).toEqual([]);

    start("shop-2_c", production);

    await later(() => working.includes("shop-2_c"));
    await later(() => lease.elsewhere()?.host === "shop-2");
    expect(working).toEqual(["shop-2_c"]);
  });

  test("of a holder that never comes back is taken by another store after its time", async () => {
    await using town = await world();
    const { later, pass, start, working, server, storeOnLease } = town;
    server.objects.put("leases", "team", {
      metadata: { name: named.name, annotations: { "gantry/log-store": "sqlite-production" } },
      spec: { holderIdentity: "shop-1_dead", leaseDurationSeconds: 1 },
    });
    const { lease } = start("mias-laptop_b", laptop);
    await later(() => lease.elsewhere() !== undefined);

    await pass(50_000);
    expect(working).toEqual([]);

    await later(() => working.includes("mias-laptop_b"));
    expect(storeOnLease()).toEqual({ "gantry/log-store": "sqlite-laptop" });
  });

  test("survives a restart of its holder: a laptop that sees it free doesn't take it at once", async () => {
    await using town = await world();
    const { later, start, working } = town;
    const { lease: first } = start("shop-1_a", production);
    await later(() => working.length === 1);
    const { lease: other } = start("mias-laptop_b", laptop);
    await later(() => other.elsewhere() !== undefined);

    await first.close();
    await later(() => other.elsewhere()?.host === undefined);
    expect(working).toEqual([]);
    start("shop-1_c", production);

    await later(() => working.includes("shop-1_c"));
    expect(other.isHeld()).toBe(false);
  });

  test("is free for another store some minutes after its holder gave it back", async () => {
    await using town = await world();
    const { later, pass, start, working } = town;
    const { lease: first } = start("shop-1_a", production);
    await later(() => working.length === 1);
    await first.close();
    const { lease: other } = start("mias-laptop_b", laptop);
    await later(() => other.elsewhere() !== undefined);

    await pass(50_000);
    expect(working).toEqual([]);

    await later(() => working.includes("mias-laptop_b"));
  });

  test.each(["postgres-1", "in-cluster-sqlite-1"])(
    "goes back to the store %s as soon as it lives, when a laptop collected meanwhile",
    async (store) => {
      await using town = await world();
      const { later, start, working, storeOnLease } = town;
      const { lease } = start("mias-laptop_a", laptop);
      await later(() => working.length === 1);

      start("shop-1_b", { storeId: async () => store });

      await later(() => working.join() === "shop-1_b");
      expect(storeOnLease()).toEqual({ "gantry/log-store": store });
      await later(() => lease.elsewhere()?.host === "shop-1");
    },
  );
});

function renewTime(spec: unknown): string {
  return (spec as { renewTime: string }).renewTime; // as the replicas write it
}

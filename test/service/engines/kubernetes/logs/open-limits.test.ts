import { describe, expect, test } from "vitest";
import { KubeError, KubeUnreachable } from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { makeOpening, makePlaces } from "../../../../../src/service/engines/kubernetes/logs/open-limits.ts";
import { until } from "../../../../support/until.ts";

const { signal } = new AbortController();

function world(perSecond = 100) {
  const opening = makeOpening({ perSecond, backOffMs: { first: 300, max: 600 }, elapsedMs: () => performance.now() });
  const opened: number[] = [];
  const open = async () => {
    await opening.take(signal);
    opened.push(performance.now());
  };
  return { opening, opened, open };
}

describe("opening logs", () => {
  test("never goes faster than the limit, however many containers there are", async () => {
    const { opened, open } = world();

    await Promise.all(Array.from({ length: 50 }, open));

    // A busy machine can only be slower.
    expect((opened.at(-1) ?? 0) - (opened[0] ?? 0)).toBeGreaterThan(470);
  });

  test("pauses for all after the cluster was away, and then goes on one after the other", async () => {
    const { opening, opened, open } = world();
    const all = Promise.all(Array.from({ length: 50 }, open));
    await until(() => opened.length > 5);
    const before = opened.length;

    opening.failed(new KubeUnreachable("connect ECONNREFUSED"));
    const failedAt = performance.now();
    await all;

    expect(opened.filter((at) => at > failedAt && at < failedAt + 290)).toEqual([]);
    expect((opened.at(-1) ?? 0) - failedAt).toBeGreaterThan(300 + (50 - before - 3) * 10);
  });

  test("doesn't pause all for the error of one container", async () => {
    const { opening, opened, open } = world();
    opening.failed(new KubeError(400, "container app is waiting to start"));
    const began = performance.now();

    await open();

    expect((opened[0] ?? 0) - began).toBeLessThan(280);
  });
});

describe("places for open logs", () => {
  test("go to those who wait, in order", async () => {
    let told = 0;
    const places = makePlaces(1, () => (told += 1));
    const order: string[] = [];
    const place = await places.take(signal);
    const waiting = ["b", "c"].map(async (name) => {
      const next = await places.take(signal);
      order.push(name);
      next.giveBack();
    });

    place.giveBack();
    place.giveBack();
    await Promise.all(waiting);

    expect(order).toEqual(["b", "c"]);
    expect(told).toBe(1);
  });

  test("are kept while nobody needs them; then the holder of the quietest log leaves, once its turn is over", async () => {
    const places = makePlaces(3, () => undefined);
    const left: string[] = [];
    const holders = await Promise.all([1, 2, 3].map(() => places.take(signal)));
    const offer = (at: number, name: string, quietSince: number) =>
      holders[at]?.offer({
        quietSince: () => quietSince,
        leave() {
          left.push(name);
          holders[at]?.giveBack();
        },
      });
    offer(0, "busy", 300);
    offer(1, "quiet", 100);
    expect(left).toEqual([]);

    await places.take(signal);
    await places.take(signal);
    expect(left).toEqual(["quiet", "busy"]);
    const last = places.take(signal);
    offer(2, "in its turn until now", 900);
    await last;

    expect(left).toEqual(["quiet", "busy", "in its turn until now"]);
  });

  test("are left by who gives up, and nobody else waits for longer", async () => {
    const places = makePlaces(1, () => {});
    const place = await places.take(signal);
    const gone = new AbortController();
    const left = places.take(gone.signal).catch(() => "left");
    const next = places.take(signal);

    gone.abort();
    place.giveBack();

    expect(await left).toBe("left");
    expect(await next).toBeDefined();
  });
});

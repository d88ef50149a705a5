import { describe, expect, test } from "vitest";
import { KubeError, KubeUnreachable } from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { makeOpening, makePlaces } from "../../../../../src/service/engines/kubernetes/logs/open-limits.ts";
import { stillClock } from "../../../../support/test-clock.ts";

const { signal } = new AbortController();

/** A hundred logs may be opened in a second. */
function world() {
  const clock = stillClock();
  const opening = makeOpening({ perSecond: 100, backOffMs: { first: 300, max: 600 }, clock });
  const opened: number[] = [];
  const open = async () => {
    await opening.take(signal);
    opened.push(clock.elapsedMs());
  };
  return { clock, opening, opened, open };
}

describe("opening logs", () => {
  test("never goes faster than the limit, however many containers there are", async () => {
    const { clock, opened, open } = world();
    const all = Promise.all(Array.from({ length: 50 }, open));

    await clock.passMs(490);

    await all;
    expect(opened).toEqual(Array.from({ length: 50 }, (_, at) => at * 10));
  });

  test("pauses for all after the cluster was away, and then goes on one after the other", async () => {
    const { clock, opening, opened, open } = world();
    const all = Promise.all(Array.from({ length: 50 }, open));
    await clock.passMs(60);
    expect(opened).toHaveLength(7);

    opening.failed(new KubeUnreachable("connect ECONNREFUSED"));
    await clock.passMs(1_000);

    await all;
    const [first = 0, ...others] = opened.slice(7);
    expect(first).toBeGreaterThanOrEqual(360);
    expect(others).toEqual(others.map((_, at) => first + (at + 1) * 10));
  });

  test("doesn't pause all for the error of one container", async () => {
    const { opening, opened, open } = world();
    opening.failed(new KubeError(400, "container app is waiting to start"));

    await open();

    expect(opened).toEqual([0]);
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

import { describe, expect, test } from "vitest";
import { stillClock } from "../../../support/test-clock.ts";
import type { Exit, Unit } from "../../../../src/service/workloads/runtime.ts";
import { makeStartQueue } from "../../../../src/service/workloads/lifecycle/queues.ts";
import { childrenOf } from "../../engines/process/support/engine-process.ts";
import { makeDataDir } from "../../engines/process/support/data-dir.ts";
import { openEngine, until, userOf } from "../../engines/process/support/engine-world.ts";

/** A unit that the test lets speak and exit. */
function puppet() {
  const spoken = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<Exit>();
  const unit: Unit = {
    labels: { workload: "w", instance: "web-0", container: 0, generation: 0 },
    exited: gone.promise,
    spoke: spoken.promise,
    answers: undefined,
    address: () => undefined,
    readLog: () => undefined,
    stop: async () => undefined,
    discard: async () => undefined,
  };
  return { unit, speak: spoken.resolve, exit: () => gone.resolve({ code: 0 }) };
}

const never = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("units start a few at a time", () => {
  test("the next one starts when one is up", async () => {
    const queue = makeStartQueue({ atOnce: 2, alive: 10 }, stillClock());
    const puppets = [puppet(), puppet(), puppet()];
    const started: number[] = [];
    for (const [index, { unit }] of puppets.entries()) {
      void queue.run(async () => {
        started.push(index);
        return unit;
      }, never);
    }
    await settled();
    expect(started).toEqual([0, 1]);

    puppets[1]?.speak();
    await settled();

    expect(started).toEqual([0, 1, 2]);
  });

  test("one that is stopped before its turn never starts, and no more are alive than may be", async () => {
    const queue = makeStartQueue({ atOnce: 5, alive: 1 }, stillClock());
    const [first, second, third] = [puppet(), puppet(), puppet()];
    const stopping = new AbortController();
    const started: string[] = [];
    const start =
      (name: string, { unit }: ReturnType<typeof puppet>) =>
      async () => {
        started.push(name);
        return unit;
      };
    void queue.run(start("first", first), never);
    const stopped = queue.run(start("second", second), stopping.signal);
    void queue.run(start("third", third), never);
    first.speak();

    stopping.abort();

    expect(await stopped).toBeUndefined();
    expect(started).toEqual(["first"]);
    first.exit();
    await settled();
    expect(started).toEqual(["first", "third"]);
  });

  test("a start that throws gives its place back", async () => {
    const queue = makeStartQueue({ atOnce: 1, alive: 1 }, stillClock());
    await expect(queue.run(() => Promise.reject(new Error("no room")), never)).rejects.toThrow("no room");

    const { unit } = puppet();

    expect(await queue.run(async () => unit, never)).toBe(unit);
  });
});

test("a service with many instances is deleted before most of them have started", async () => {
  const dataDir = makeDataDir();
  const { engine, close } = await openEngine(dataDir);
  const dana = userOf(engine);
  await dana.create("many", { target_instance_size: 100, containers: [{ image: "gantry/worker" }] });
  await until(async () => (await childrenOf(dataDir)).length > 0, "the first instance");

  await dana.remove("many");

  await until(async () => (await dana.list()).services.length === 0, "the service to be gone");
  const lines = await dana.logs("many").catch(() => []);
  expect(lines).toEqual([]);
  expect((await childrenOf(dataDir)).length).toBe(0);
  await close();
});

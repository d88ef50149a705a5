import { expect, test } from "vitest";
import { makeSerialQueue } from "../../../../src/service/workloads/lifecycle/queues.ts";

test("a write whose client left while it waited for its turn is never begun; the next one is", async () => {
  const queue = makeSerialQueue();
  const first = Promise.withResolvers<void>();
  const client = new AbortController();
  const begun: string[] = [];

  const restart = queue.run("web", () => first.promise);
  const scale = queue.run("web", async () => begun.push("scale"), client.signal);
  const stop = queue.run("web", async () => begun.push("stop"));
  client.abort(new Error("the client hung up"));
  first.resolve();

  await expect(scale).rejects.toMatchObject({ status: 503, cause: new Error("the client hung up") });
  await Promise.all([restart, stop, queue.idle()]);
  expect(begun).toEqual(["stop"]);
});

test("a write that has begun is finished, also when its client leaves", async () => {
  const queue = makeSerialQueue();
  const client = new AbortController();
  const saved = Promise.withResolvers<string>();

  const restart = queue.run("web", () => saved.promise, client.signal);
  await new Promise((resolve) => setImmediate(resolve));
  client.abort();
  saved.resolve("restarted");

  expect(await restart).toBe("restarted");
});

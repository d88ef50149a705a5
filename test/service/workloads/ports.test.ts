import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { freePort, listen, makeConnections, openPortFront } from "../../../src/service/workloads/ports.ts";
import { until } from "../engines/process/support/engine-world.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function client(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  closers.push(() => socket.destroy());
  await once(socket, "connect");
  return socket;
}

test("idle connections to the ports of services are bounded, and one that ends makes room for another", async () => {
  const reached = new Set<Socket>();
  const instance = createServer((socket) => void reached.add(socket.on("error", () => undefined)));
  const target = await listen(instance, 0);
  const front = await openPortFront({ host: "127.0.0.1", port: 0 }, () => [`127.0.0.1:${target}`], makeConnections(2));
  closers.push(
    () => void front.close(),
    () => instance.close(),
  );
  const first = await client(front.port);
  await client(front.port);
  await until(() => reached.size === 2, "both to be forwarded");

  const third = await client(front.port);
  await once(third, "close");
  first.destroy();

  await until(async () => {
    await client(front.port);
    return reached.size === 3;
  }, "another to be forwarded");
  expect(reached.size).toBe(3);
});

test("an instance has drained when the last of its connections has ended, whoever ended it", async () => {
  const accepted: Socket[] = [];
  const instance = createServer((socket) => void accepted.push(socket.on("error", () => undefined)));
  const target = `127.0.0.1:${await listen(instance, 0)}`;
  const connections = makeConnections(10);
  const front = await openPortFront({ host: "127.0.0.1", port: 0 }, () => [target], connections);
  closers.push(
    () => void front.close(),
    () => instance.close(),
  );
  await connections.drained(target);
  const first = await client(front.port);
  await client(front.port);
  await until(() => accepted.length === 2, "both to be forwarded");
  let isDrained = false;
  const drained = connections.drained(target).then(() => (isDrained = true));

  first.destroy();
  await until(() => accepted.some(({ closed }) => closed), "the first to end");
  expect(isDrained).toBe(false);
  for (const socket of accepted) socket.end();
  await drained;

  await connections.drained(target);
  expect(isDrained).toBe(true);
});

test("an instance that takes no connection has drained", async () => {
  const closed = createServer();
  const target = `127.0.0.1:${await listen(closed, 0)}`;
  await new Promise((resolve) => closed.close(resolve));
  const connections = makeConnections(10);
  const front = await openPortFront({ host: "127.0.0.1", port: 0 }, () => [target], connections);
  closers.push(() => void front.close());

  await once(await client(front.port), "close");

  await expect(connections.drained(target)).resolves.toBeUndefined();
});

test("no program that asks the system for any port gets that of an instance, or of a service while Gantry is stopped", async () => {
  const front = await openPortFront({ host: "127.0.0.1", port: 0 }, () => [], makeConnections(1));
  closers.push(() => void front.close());
  const others = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const other = createServer();
      closers.push(() => other.close());
      return await listen(other, 0);
    }),
  );

  const own = [front.port, await freePort(), await freePort()];

  // Systems give from 32768 (Linux) or 49152 on.
  expect(Math.max(...own)).toBeLessThan(Math.min(30_000, ...others));
});

test("a service whose port was taken while Gantry was stopped gets another one", async () => {
  const taken = createServer();
  closers.push(() => taken.close());
  const port = await listen(taken, await freePort());

  const front = await openPortFront({ host: "127.0.0.1", port }, () => [], makeConnections(1));
  closers.push(() => void front.close());

  expect(front.port).not.toBe(port);
  expect(front.port).toBeLessThan(30_000);
});

import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { listen, makeConnectionBudget, openPortFront } from "../../../src/service/workloads/ports.ts";
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
  const front = await openPortFront(
    { host: "127.0.0.1", port: 0 },
    () => [`127.0.0.1:${target}`],
    makeConnectionBudget(2),
  );
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

import { stillClock } from "../../../support/test-clock.ts";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { machineClock } from "../../../../src/platform/clock.ts";
import { createLog } from "../../../../src/platform/log.ts";
import { healthRoutes } from "../../../../src/bot/slack/receive/health-server.ts";
import { createReceiver, createTransport, startReceiver } from "../../../../src/bot/slack/receive/create-transport.ts";
import { drainLimits, createLanes } from "../../../../src/bot/workflow/inbox/lanes.ts";
import { rawAnswer } from "../../../support/raw-http.ts";

async function started() {
  const lines: string[] = [];
  const log = createLog({ level: "warn", secrets: [], to: { write: (line) => void lines.push(line) } });
  const lanes = createLanes({ drain: drainLimits, onError: () => undefined, clock: stillClock() });
  const receiver = createReceiver("a-signing-secret", {
    routes: healthRoutes({ missing: () => Promise.resolve([]), lanes: lanes.status }),
    log,
    route: () => Promise.resolve(),
  });
  const server = await startReceiver(receiver, { host: "127.0.0.1", port: 0, log });
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo; // it listens on a host and a port
  return { server, port, lines, lanes };
}

test("the bot keeps listening after a connection for which it had no file descriptor", async () => {
  const { server, port, lines } = await started();

  server.emit("error", Object.assign(new Error("accept EMFILE"), { code: "EMFILE", syscall: "accept" }));

  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  expect(lines.join("")).toContain("couldn't accept a connection");
});

test("the bot has the limits of the other servers", async () => {
  const { server, port } = await started();

  expect(await rawAnswer(port, "hello\r\n\r\n")).toMatch(/^HTTP\/1.1 400 [^]*\{"message":"[^"]+"\}$/u);
  expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000 });
  expect(server.maxConnections).toBeLessThanOrEqual(1_000);
});

test("/healthz shows how many jobs run and wait in each lane", async () => {
  const { port, lanes } = await started();
  lanes.add({ lane: "due" }, () => Promise.resolve());

  const health = await fetch(`http://127.0.0.1:${port}/healthz`);

  const none = { running: 0, waiting: 0, oldestMs: 0 };
  expect(health.status).toBe(200);
  expect(await health.json()).toEqual({
    status: "ok",
    lanes: {
      people: none,
      decisions: none,
      due: expect.anything(),
    },
  });
});

test("after a hand-over, each answer closes its connection", async () => {
  const log = createLog({ level: "silent", secrets: [], to: { write: () => undefined } });
  const lanes = createLanes({ drain: drainLimits, onError: () => undefined, clock: stillClock() });
  const transport = createTransport(
    { kind: "http", signingSecret: "a-signing-secret" },
    {
      routes: healthRoutes({ missing: () => Promise.resolve([]), lanes: lanes.status }),
      log,
      clock: machineClock,
      route: () => Promise.resolve(),
      listen: { host: "127.0.0.1", port: 0 },
      onRefused: () => undefined,
    },
  );
  onTestFinished(() => transport.stop());
  const { port } = await transport.start();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ask = async () => {
    const [response] = (await once(
      request({ host: "127.0.0.1", port, path: "/healthz", agent }).end(),
      "response",
    )) as [
      IncomingMessage, // of a request
    ];
    response.resume();
    await once(response, "end");
    return response.headers.connection;
  };

  expect(await ask()).toBe("keep-alive");
  await transport.handOver();
  expect(await ask()).toBe("close");
});

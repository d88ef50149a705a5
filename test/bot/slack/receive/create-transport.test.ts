import { stillClock } from "../../../support/test-clock.ts";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createLog } from "../../../../src/platform/log.ts";
import { healthRoutes } from "../../../../src/bot/slack/receive/health-server.ts";
import { createReceiver, startReceiver } from "../../../../src/bot/slack/receive/create-transport.ts";
import { drainLimits, createLanes } from "../../../../src/bot/workflow/inbox/lanes.ts";
import { deliver, form } from "../../../support/deliver.ts";
import { rawAnswer } from "../../../support/raw-http.ts";
import { stillClock } from "../../../support/test-clock.ts";

async function started() {
  const lines: string[] = [];
  const log = createLog({ level: "warn", secrets: [], to: { write: (line) => void lines.push(line) } });
  const routed: unknown[] = [];
  const clock = stillClock();
  const lanes = createLanes({ drain: drainLimits, onError: () => undefined, clock });
  const receiver = createReceiver("a-signing-secret", {
    routes: healthRoutes({ missing: () => Promise.resolve([]), lanes: lanes.status }),
    log,
    newReference: () => "ref",
    route(body, ack) {
      routed.push(body);
      return ack();
    },
  });
  const server = await startReceiver(receiver, {
    host: "127.0.0.1",
    port: 0,
    log,
    signingSecret: "a-signing-secret",
    clock,
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo; // it listens on a host and a port
  return { server, port, lines, lanes, routed, clock };
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
  lanes.add({ lane: "redraws", key: "card A" }, () => Promise.resolve());

  const health = await fetch(`http://127.0.0.1:${port}/healthz`);

  const none = { running: 0, waiting: 0, oldestMs: 0 };
  expect(health.status).toBe(200);
  expect(await health.json()).toEqual({
    status: "ok",
    lanes: {
      people: none,
      requests: none,
      decisions: none,
      redraws: expect.anything(),
      watching: none,
      sweeping: none,
    },
  });
});

test("a request is taken for five minutes after Slack signed it, by the bot's clock", async () => {
  const { port, routed, clock } = await started();
  const slack = { signingSecret: "a-signing-secret", botUrl: () => `http://127.0.0.1:${port}` };
  const signedAt = clock.now();
  const types = async () =>
    (await deliver({ ...slack, now: () => signedAt }, { body: form({ command: "/gantry" }) })).status;

  await clock.passMs(5 * 60_000);
  const old = await types();
  await clock.passMs(1_000);
  const tooOld = await types();

  expect([old, tooOld]).toEqual([200, 401]);
  expect(routed).toHaveLength(1);
});

test("what nobody signed never gets through, whatever it says it is", async () => {
  const { port, routed } = await started();
  const payload = JSON.stringify({ type: "block_actions", actions: [] });
  const statuses: number[] = [];
  for (const fields of [
    [["command", "/gantry"]],
    [
      ["ssl_check", "1"],
      ["command", "/gantry"],
    ],
    [
      ["ssl_check", "1"],
      ["payload", payload],
    ],
    [
      ["ssl_check", "1"],
      ["ssl_check", "1"],
      ["command", "/gantry"],
    ],
  ]) {
    const sent = { method: "POST", body: new URLSearchParams(fields) };
    statuses.push((await fetch(`http://127.0.0.1:${port}/slack/events`, sent)).status);
  }
  const elsewhere = await fetch(`http://127.0.0.1:${port}/elsewhere`, { method: "POST", body: "{}" });

  expect(statuses).toEqual([401, 200, 200, 200]);
  expect(elsewhere.status).toBe(404);
  expect(routed).toEqual([]);
});

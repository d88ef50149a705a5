import { expect, test } from "vitest";
import { makeKubeClient } from "../../../../../src/service/engines/kubernetes/cluster/kube-client.ts";
import { stillClock } from "../../../../support/test-clock.ts";
import { openFakeApiServer } from "../support/fake-api-server.ts";
import { until } from "../../../../support/until.ts";

const BEGINNING = new Date("2026-11-22T12:00:00Z");
const at = (seconds: number) => new Date(BEGINNING.getTime() + seconds * 1_000);

/** An API server, and what its client thinks of when it answered. */
async function town() {
  const server = await openFakeApiServer();
  const clock = stillClock(BEGINNING);
  const api = makeKubeClient({ kubeConfig: server.kubeConfig(), clock });
  return {
    server,
    clock,
    api,
    outages: api.outages,
    ask: () =>
      api.list({ kind: "Pod", namespace: "shop" }, {}).then(
        () => "answered",
        () => "failed",
      ),
    async [Symbol.asyncDispose]() {
      api.close();
      await server.stop();
    },
  };
}

test("an outage lasts from the first request without an answer until what was missed has been sent again", async () => {
  await using opened = await town();
  const { server, clock, outages, ask } = opened;
  await ask();
  expect(outages()).toEqual([]);

  await server.stop();
  await clock.passMs(5_000);
  expect(await ask()).toBe("failed");
  await clock.passMs(60_000);
  expect(await ask()).toBe("failed");
  expect(outages()).toEqual([{ from: at(5), until: undefined }]);

  await server.start();
  await clock.passMs(30_000);
  expect(await ask()).toBe("answered");
  expect(outages()).toEqual([{ from: at(5), until: at(105) }]);
});

test("a load balancer without an API server behind it is an outage, what the API server refuses isn't", async () => {
  await using opened = await town();
  const { server, outages, ask } = opened;

  server.fail("list pods", { status: 403, message: "no" });
  await ask();
  expect(outages()).toEqual([]);

  server.fail("list pods", { status: 503, message: "no backend" });
  await ask();
  expect(outages()).toHaveLength(1);
});

test("so is an API server that takes requests and doesn't answer", async () => {
  await using opened = await town();
  const { server, clock, outages, ask } = opened;
  server.hang(true);
  const asked = ask();
  await until(() => server.requests.length > 0);
  await clock.passMs(10_000);

  expect(await asked).toBe("failed");
  expect(outages()).toEqual([{ from: at(0), until: undefined }]);
  server.hang(false);
});

test("a watch that breaks is an outage from then on, not from its beginning", async () => {
  await using opened = await town();
  const { server, clock, api, outages } = opened;
  const { resourceVersion } = await api.list({ kind: "Pod", namespace: "shop" }, {});
  const options = { resourceVersion, timeoutSeconds: 300, onEvent: () => undefined };
  const watched = api
    .watch({ kind: "Pod", namespace: "shop" }, options, new AbortController().signal)
    .catch(() => "broken");
  await until(() => server.openWatches() === 1);
  await clock.passMs(200_000);
  server.cutWatches();

  expect(await watched).toBe("broken");
  expect(outages()).toEqual([{ from: at(200), until: undefined }]);
});

test("outages don't overlap, and old ones are forgotten", async () => {
  await using opened = await town();
  const { server, clock, outages, ask } = opened;
  for (const _ of [1, 2]) {
    server.fail("list pods", { status: 503 });
    await ask();
    await clock.passMs(4_000);
    server.fail("list pods", undefined);
    await ask();
  }
  expect(outages()).toEqual([
    { from: at(0), until: at(14) },
    { from: at(14), until: at(18) },
  ]);

  await clock.passMs(2 * 60 * 60_000);
  server.fail("list pods", { status: 503 });
  await ask();
  server.fail("list pods", undefined);
  await ask();
  expect(outages()).toHaveLength(1);
});

import { pino } from "pino";
import { expect, test } from "vitest";
import { readConfig } from "../../../../src/bot/compose/config.ts";
import { machineClock } from "../../../../src/platform/clock.ts";
import { openObserver } from "../../../../src/bot/compose/observing/open-observer.ts";

const parts = { replicaId: "a", log: pino({ level: "silent" }), clock: machineClock };

test("metrics are served as OpenMetrics, at one path, to be read only", async () => {
  const { port, close } = await openObserver(readConfig({ GANTRY_METRICS_PORT: "0" }), parts);
  const ask = (path: string, method = "GET") => fetch(`http://127.0.0.1:${port}${path}`, { method });
  try {
    const answer = await ask("/metrics");
    const text = await answer.text();
    const others = [await ask("/metrics?name=x", "HEAD"), await ask("/metrics", "POST"), await ask("/healthz")];

    expect(answer.headers.get("content-type")).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
    expect(text).toMatch(/^gantry_info\{version="[\d.]+"\} 1$/mu);
    expect(text.endsWith("# EOF\n")).toBe(true);
    expect(others.map(({ status }) => status)).toEqual([200, 405, 404]);
  } finally {
    await close();
  }
});

test("a port of the metrics that is taken is named, with the variable", async () => {
  const first = await openObserver(readConfig({ GANTRY_METRICS_PORT: "0" }), parts);
  try {
    const second = openObserver(readConfig({ GANTRY_METRICS_PORT: String(first.port) }), parts);
    await expect(second).rejects.toThrow(/is in use.*GANTRY_METRICS_PORT/u);
  } finally {
    await first.close();
  }
});

test("a metrics address that isn't one of this machine is named, with its variable", async () => {
  const told: string[] = [];
  const log = pino({ level: "warn" }, { write: (line) => void told.push(line) });
  const settings = { GANTRY_METRICS_PORT: "0", GANTRY_METRICS_HOST: "192.0.2.1" };

  await expect(openObserver(readConfig(settings), { ...parts, log })).rejects.toThrow(
    "192.0.2.1 isn't an address of this machine. Set GANTRY_METRICS_HOST to one of them, e.g. GANTRY_METRICS_HOST=127.0.0.1.",
  );
  // A server that doesn't listen yet can't have refused a connection.
  expect(told).toEqual([]);
});

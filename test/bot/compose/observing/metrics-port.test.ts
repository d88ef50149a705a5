import { pino } from "pino";
import { expect, test } from "vitest";
import { readConfig } from "../../../../src/bot/compose/config.ts";
import { machineClock } from "../../../../src/platform/clock.ts";
import { prefersText } from "../../../../src/platform/observing/open-sinks.ts";
import { openObserver } from "../../../../src/bot/compose/observing/observer.ts";

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

test("whoever prefers the text format gets it, with the same numbers", async () => {
  const { observer, port, close } = await openObserver(readConfig({ GANTRY_METRICS_PORT: "0" }), parts);
  const ask = async (accept: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { accept } });
    return { type: answer.headers.get("content-type"), text: await answer.text() };
  };
  /** Without the process's own, which change. */
  const samples = (text: string) => text.split("\n").filter((line) => line.startsWith("gantry_"));
  try {
    observer.metrics?.redacted(3);
    // An OpenMetrics scrape before and after it.
    const [before, text, after] = [
      await ask("*/*"),
      await ask("text/plain"),
      await ask("application/openmetrics-text"),
    ];

    expect(text.type).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(samples(text.text)).toEqual(samples(before.text));
    expect(text.text).toContain("\ngantry_redactions_total 3\n");
    expect(text.text).toContain("# HELP gantry_redactions_total Secrets removed");
    expect(text.text).toContain("\n# TYPE gantry_redactions_total counter\n");
    expect(text.text).toContain("\n# TYPE gantry_info gauge\n");
    expect(text.text).not.toContain("# EOF");
    // Each description is of a name that has samples.
    for (const [, name = ""] of text.text.matchAll(/^# TYPE (\S+) counter$/gmu)) expect(name).toMatch(/_total$/u);
    expect(after.type).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
    expect(after.text).toContain("\n# TYPE gantry_redactions counter\n");
    expect(after.text.endsWith("# EOF\n")).toBe(true);
  } finally {
    await close();
  }
});

test.each([
  [null, false],
  ["*/*", false],
  ["text/html,application/xhtml+xml,*/*;q=0.8", false],
  ["text/plain", true],
  ["text/plain;version=0.0.4", true],
  ["Text/Plain; Q=0.9, */*; q=0.1", true],
  ["text/plain;q=0, */*", false],
  ["text/*", true],
  ["application/openmetrics-text", false],
  // vmagent
  ["text/plain;version=0.0.4;q=1,*/*;q=0.1", true],
  // Prometheus 3
  [
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4," +
      "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
    false,
  ],
])("Accept %s prefers the text format: %s", (accept, isText) => {
  expect(prefersText(accept)).toBe(isText);
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

import { expect, test } from "vitest";
import { samePorts, withPortSentence } from "../../../src/platform/http/port.ts";

const metrics = { host: "127.0.0.1", port: 9464, variable: "GANTRY_METRICS_PORT" };

test.each([
  ["on the same address", "127.0.0.1", 9464, 1],
  ["where one listens on all addresses", "0.0.0.0", 9464, 1],
  ["where one listens on all addresses of IPv6", "::", 9464, 1],
  ["on another address", "127.0.0.2", 9464, 0],
  ["with another number", "127.0.0.1", 9465, 0],
])("a port %s", (_where, host, port, sentences) => {
  expect(samePorts([{ host, port, variable: "PORT" }, metrics])).toHaveLength(sentences);
});

test("two ports that the system chooses are two", () => {
  const any = { host: "127.0.0.1", port: 0 };

  expect(
    samePorts([
      { ...any, variable: "PORT" },
      { ...any, variable: "GANTRY_METRICS_PORT" },
    ]),
  ).toEqual([]);
});

test.each([
  [3000, 3100],
  [65_435, 65_535],
  [65_436, 65_336],
  [65_535, 65_435],
])("for the port %i the sentence suggests %i", async (port, suggested) => {
  const place = { host: "127.0.0.1", port, variable: "PORT" };
  const inUse = Object.assign(new Error("listen"), { code: "EADDRINUSE" });

  await expect(withPortSentence(place, Promise.reject(inUse))).rejects.toThrow(`e.g. PORT=${suggested}.`);
  expect(samePorts([place, { ...metrics, port }])[0]).toContain(`e.g. GANTRY_METRICS_PORT=${suggested}.`);
});

import { expect, test } from "vitest";
import { readServiceConfig } from "../../src/service/config.ts";
import { processEngine } from "../../src/service/engines/process/descriptor.ts";

test("nothing is needed, and an empty variable counts as left out", () => {
  expect(readServiceConfig({ SERVICE_PORT: "", NODE_ENV: "production" }, "/project")).toEqual({
    config: {
      host: "127.0.0.1",
      port: 3002,
      users: undefined,
      engine: expect.objectContaining({
        descriptor: processEngine,
        settings: { regions: ["us", "beijing1", "beijing2"], allowHostCommands: false, quotas: {} },
      }),
      callsPerDay: undefined,
      dataDir: "/project/.gantry",
      logFormat: "json",
      metrics: undefined,
      tracing: undefined,
      checkAnswers: false,
      secrets: [],
    },
  });
});

test("each variable is read", () => {
  const env = {
    SERVICE_HOST: "0.0.0.0",
    SERVICE_PORT: "0",
    SERVICE_USERS: "dana:0123456789abcdef",
    SERVICE_REGIONS: "us, moon1,us",
    SERVICE_CALLS_PER_DAY: "100",
    SERVICE_USER_INSTANCES: "5",
    SERVICE_USER_MEMORY_MIB: "1024",
    SERVICE_HOST_INSTANCES: "20",
    SERVICE_HOST_MEMORY_MIB: "4096",
    SERVICE_HOST_COMMANDS: "allow",
    GANTRY_DATA: "/var/lib/gantry",
    LOG_FORMAT: "pretty",
    GANTRY_METRICS_PORT: "9465",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318",
  };

  expect(readServiceConfig(env, "/project")).toEqual({
    config: {
      host: "0.0.0.0",
      port: 0,
      users: [{ username: "dana", token: "0123456789abcdef" }],
      engine: expect.objectContaining({
        descriptor: processEngine,
        settings: {
          regions: ["us", "moon1"],
          allowHostCommands: true,
          quotas: { userInstances: 5, userMemoryMib: 1024, hostInstances: 20, hostMemoryMib: 4096 },
        },
      }),
      callsPerDay: 100,
      dataDir: "/var/lib/gantry",
      logFormat: "pretty",
      metrics: { host: "127.0.0.1", port: 9465 },
      tracing: expect.objectContaining({
        url: "http://collector:4318/v1/traces",
        serviceName: "gantry-workload-api",
      }),
      checkAnswers: true,
      secrets: [],
    },
  });
});

test("everything that is wrong is said at once, with the variable, what to set and no secret", () => {
  const env = {
    SERVICE_PORT: "65536",
    SERVICE_USERS: "dana:hunter2",
    SERVICE_REGIONS: "'us,,moon/1'",
    SERVICE_CALLS_PER_DAY: "0",
    SERVICE_USER_INSTANCES: "1e3",
    SERVICE_HOST_COMMANDS: "yes",
  };

  const read = readServiceConfig(env, "/project");

  expect(JSON.stringify(read)).not.toContain("hunter2");
  expect(read).toMatchInlineSnapshot(`
    {
      "problems": [
        "SERVICE_REGIONS begins or ends with a quote. Remove the quotes: only Gantry's own .env file may have them.",
        "SERVICE_REGIONS must be region names separated by commas, like us,beijing1.",
        "SERVICE_CALLS_PER_DAY must be a whole number of calls, at least 1 (default: no limit).",
        "SERVICE_PORT must be a port from 0 to 65535 (default: 3002).",
        "SERVICE_USERS must be pairs like dana:TOKEN,alex:TOKEN: the token of dana must be 16 to 256 visible ASCII characters without a comma.",
        "SERVICE_USER_INSTANCES must be a whole number of instances, at least 1, or unset.",
        "SERVICE_HOST_COMMANDS must be unset, or allow: then every API user can run any program on this machine.",
      ],
    }
  `);
});

test("its port and that of its metrics have to be two", () => {
  expect(readServiceConfig({ SERVICE_PORT: "9465", GANTRY_METRICS_PORT: "9465" }, "/project")).toEqual({
    problems: [
      "SERVICE_PORT and GANTRY_METRICS_PORT name the same port, 9465. Change one of them, e.g. GANTRY_METRICS_PORT=9565.",
    ],
  });
});

import { expect, test } from "vitest";
import { readConfig } from "../../../src/bot/compose/config.ts";
import { problems, service, slack } from "./support/settings.ts";

test("SERVICE_ENGINE=kubernetes alone uses the kubeconfig, with real or simulated Slack, and warns that the cluster is real", () => {
  const kubernetes = { SERVICE_ENGINE: "kubernetes" };

  expect(readConfig(kubernetes)).toMatchObject({
    service: {
      kind: "embedded",
      engine: { descriptor: { name: "kubernetes" }, settings: { clustersPath: undefined } },
    },
    notices: ["WARNING: Slack is simulated, but the cluster is real. Commands in the playground change its workloads."],
  });
  expect(readConfig({ ...slack, ...kubernetes }).notices).toEqual([]);
});

test("SERVICE_ENGINE=docker alone uses the machine's daemon, with real or simulated Slack, and warns that containers are real", () => {
  const docker = { SERVICE_ENGINE: "docker", DOCKER_HOST: "unix:///run/own.sock" };

  expect(readConfig(docker)).toMatchObject({
    service: {
      engine: {
        descriptor: { name: "docker" },
        regions: ["us"],
        settings: { daemon: { dockerHost: "unix:///run/own.sock" }, portsHost: "127.0.0.1" },
      },
    },
    settings: { region: "us", regions: ["us"], jobsRegion: "us" },
    notices: [
      "WARNING: Slack is simulated, but containers are real. Commands in the playground start and remove them.",
    ],
  });
  expect(readConfig({ ...slack, ...docker }).notices).toEqual([]);
  expect(readConfig({ ...docker, SERVICE_REGIONS: "eu,home" }).settings).toMatchObject({
    region: "eu",
    regions: ["eu", "home"],
  });
});

test("a DOCKER_HOST that is meant for others doesn't matter to another engine", () => {
  expect(readConfig({ DOCKER_HOST: "ssh://build@example.com" }).service).toMatchObject({
    engine: { descriptor: { name: "process" } },
  });
});

test.each<[string, Record<string, string>, string]>([
  [
    "regions",
    { SERVICE_ENGINE: "kubernetes", SERVICE_REGIONS: "us" },
    "SERVICE_REGIONS needs SERVICE_ENGINE=process or docker.",
  ],
  ["known regions", { SERVICE_ENGINE: "kubernetes", WORKLOAD_REGIONS: "us" }, "WORKLOAD_REGIONS isn't used with"],
  ["host commands", { SERVICE_ENGINE: "kubernetes", SERVICE_HOST_COMMANDS: "allow" }, "Containers run images"],
  ["a quota", { SERVICE_ENGINE: "kubernetes", SERVICE_HOST_MEMORY_MIB: "9" }, "put a ResourceQuota into the user's"],
  ["clusters of processes", { SERVICE_CLUSTERS: "c.yaml" }, "SERVICE_CLUSTERS needs SERVICE_ENGINE=kubernetes."],
  ["jobs of processes elsewhere", { WORKLOAD_JOBS_REGION: "eu" }, "WORKLOAD_JOBS_REGION must be us"],
  ["addresses of processes", { SERVICE_PORTS_HOST: "192.168.1.10" }, "SERVICE_PORTS_HOST needs SERVICE_ENGINE=docker."],
  ["every address", { SERVICE_ENGINE: "docker", SERVICE_PORTS_HOST: "0.0.0.0" }, "must be one IPv4 address of this"],
  ["programs beside containers", { SERVICE_ENGINE: "docker", SERVICE_HOST_COMMANDS: "allow" }, "Containers run images"],
  ["clusters of containers", { SERVICE_ENGINE: "docker", SERVICE_CLUSTERS: "c.yaml" }, "SERVICE_ENGINE=kubernetes."],
  ["jobs of containers elsewhere", { SERVICE_ENGINE: "docker", WORKLOAD_JOBS_REGION: "eu" }, "must be us"],
  [
    "a daemon over ssh",
    { SERVICE_ENGINE: "docker", DOCKER_HOST: "ssh://build@example.com" },
    "DOCKER_HOST is an address of ssh, which Gantry doesn't speak. Run Gantry's workload API on that machine",
  ],
  [
    "a daemon nowhere",
    { SERVICE_ENGINE: "docker", CONTAINER_HOST: "podman" },
    "CONTAINER_HOST must be an address like",
  ],
  [
    "two workload APIs",
    { ...service, SERVICE_ENGINE: "kubernetes" },
    "SERVICE_ENGINE is for the built-in workload API",
  ],
  [
    "another engine",
    { SERVICE_ENGINE: "nomad" },
    "SERVICE_ENGINE must be process, docker or kubernetes (default: process).",
  ],
])("what means nothing for the engine is refused, with what to do: %s", (_, env, sentence) => {
  expect(problems(env).join("\n")).toContain(sentence);
});

test("the bot alone may share its environment with the service", () => {
  expect(problems({ ...slack, ...service, SERVICE_ENGINE: "kubernetes" }, { isBotAlone: true })).toEqual([]);
  expect(readConfig({ ...slack, ...service, WORKLOAD_JOBS_REGION: "eu" }).settings.jobsRegion).toBe("eu");
});

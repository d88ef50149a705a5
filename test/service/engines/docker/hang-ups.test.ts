import { describe, expect, test } from "vitest";
import { machineClock } from "../../../../src/platform/clock.ts";
import type { DaemonApi } from "../../../../src/service/engines/docker/daemon/daemon-client.ts";
import { daemonAt } from "../../../../src/service/engines/docker/daemon/daemon-client.ts";
import { type FakeAnswer, type FakeDaemon, fakeDaemon } from "./support/fake-daemon.ts";

/** Closes the connection so many times, then answers. */
function hangingUp(times: number, answer: FakeAnswer): FakeAnswer {
  let asked = 0;
  return (response, request) => {
    asked += 1;
    if (asked <= times) return void response.destroy();
    return typeof answer === "function" ? answer(response, request) : answer;
  };
}

const never = new AbortController().signal;
const spec = {
  image: "web:1",
  command: undefined,
  env: [],
  labels: {},
  memoryBytes: undefined,
  network: "shop",
  aliases: [],
  ports: [],
  volumes: [],
};

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** How often it was asked for this path, whatever the version. */
function times({ asked }: FakeDaemon, path: string): number {
  return asked.filter((each) => each.replace(/^\w+ (?:\/v1\.\d+)?/u, "") === path).length;
}

type Call = readonly [path: string, answer: FakeAnswer, call: (daemon: DaemonApi) => Promise<unknown>];

describe("a daemon that closes a connection without an answer", () => {
  const repeatable: readonly Call[] = [
    ["/_ping", [200, "OK"], (daemon) => daemon.ping()],
    ["/containers/json", [200, []], (daemon) => daemon.listContainers([])],
    ["/containers/c1/json", [404, {}], (daemon) => daemon.inspectContainer("c1")],
    [
      "/containers/c1/logs",
      [200, ""],
      (daemon) => daemon.readLogs("c1", { since: 0, follow: false, signal: never }).then((log) => log.resume()),
    ],
    ["/events", [200, ""], async (daemon) => all(await daemon.events("gantry.owner=1", never))],
    [
      "/images/create",
      [200, { status: "Pulling" }],
      (daemon) => all(daemon.pullImage("web:1", { auth: undefined, signal: never })),
    ],
    ["/containers/c1/stop", [204, ""], (daemon) => daemon.stopContainer("c1", 1)],
    ["/containers/c1", [204, ""], (daemon) => daemon.removeContainer("c1")],
    ["/containers/c1/update", [200, {}], (daemon) => daemon.setMemory("c1", 1)],
    ["/volumes/create", [201, {}], (daemon) => daemon.ensureVolume("disk", {})],
    ["/networks/create", [201, { Id: "n1" }], (daemon) => daemon.ensureNetwork("shop", {})],
    ["/networks/shop", [204, ""], (daemon) => daemon.removeNetwork("shop")],
  ];

  test.each(repeatable)("is asked again for %s, at once", async (path, answer, call) => {
    await using fake = await fakeDaemon({ [path]: hangingUp(1, answer) });

    await call(daemonAt({ socketPath: fake.socketPath }, machineClock));

    expect(times(fake, path)).toBe(2);
  });

  test("is asked again for its version", async () => {
    await using fake = await fakeDaemon({ "/version": hangingUp(1, [200, { Version: "29", ApiVersion: "1.44" }]) });

    await expect(daemonAt({ socketPath: fake.socketPath }, machineClock).listContainers([])).resolves.toEqual([]);
  });

  test("isn't asked a third time: the call fails, in words for people", async () => {
    await using fake = await fakeDaemon({ "/containers/json": hangingUp(9, [200, []]) });

    await expect(daemonAt({ socketPath: fake.socketPath }, machineClock).listContainers([])).rejects.toMatchObject({
      name: "DaemonError",
      status: undefined,
      message: "it closed the connection",
    });
    expect(times(fake, "/containers/json")).toBe(2);
  });

  test.each<Call>([
    ["/containers/create", [201, { Id: "c1" }], (daemon) => daemon.createContainer("web", spec)],
    ["/containers/c1/start", [204, ""], (daemon) => daemon.startContainer("c1")],
  ])("isn't asked again for %s, which may have happened", async (path, answer, call) => {
    await using fake = await fakeDaemon({ [path]: hangingUp(1, answer) });

    await expect(call(daemonAt({ socketPath: fake.socketPath }, machineClock))).rejects.toThrow(
      "it closed the connection",
    );
    expect(times(fake, path)).toBe(1);
  });
});

test("whoever leaves in the middle of an answer ends the call, and nothing else", async () => {
  const ended = Promise.withResolvers<void>();
  await using fake = await fakeDaemon({
    "/images/create": (response) => {
      response.on("close", ended.resolve).writeHead(200);
      response.write('{"status":"Pulling"}\n');
    },
  });
  const pull = daemonAt({ socketPath: fake.socketPath }, machineClock).pullImage("web:1", {
    auth: undefined,
    signal: never,
  });

  for await (const { status } of pull) if (status === "Pulling") break;

  await expect(ended.promise).resolves.toBeUndefined();
});

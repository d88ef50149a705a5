import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { stillClock, testClock } from "../../../support/test-clock.ts";
import { labelsOf } from "../../../../src/service/engines/docker/container-spec.ts";
import { watchContainers } from "../../../../src/service/engines/docker/units/container-watch.ts";
import { exitClause } from "../../../../src/service/workloads/lifecycle/exit.ts";
import { connected, inspected, labels, name, owner } from "./support/connected-daemon.ts";
import { type FakeAnswer, type FakeDaemon, fakeDaemon, foundAt, podmanVersion } from "./support/fake-daemon.ts";

const started: FakeAnswer = [204, ""];
const networks: Record<string, FakeAnswer> = { "/networks/create": [201, { Id: "network" }] };

test("a container gains no privileges, and its ports are published on this machine alone", async () => {
  const bodies: unknown[] = [];
  await using daemon = await fakeDaemon({
    ...networks,
    "/containers/create": (response, request) => {
      void (async () => {
        bodies.push(JSON.parse(await text(request)));
        response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify({ Id: "c1" }));
      })();
    },
    "/containers/c1/start": started,
    "/containers/c1/json": [200, inspected("c1", "running")],
  });
  using connection = await connected(daemon);

  await connection.start();

  expect(bodies).toMatchObject([
    {
      HostConfig: {
        SecurityOpt: ["no-new-privileges"],
        PortBindings: { "80/tcp": [{ HostIp: "127.0.0.1", HostPort: "" }] },
      },
    },
  ]);
  expect(bodies).not.toMatchObject([{ HostConfig: { Privileged: true } }]);
});

describe("the digest of its image", () => {
  const web = `sha256:${"3f2a".repeat(16)}`;
  const startedOn = async (answer: FakeAnswer) => {
    await using daemon = await fakeDaemon({
      ...networks,
      "/containers/create": [201, { Id: "c1" }],
      "/containers/c1/start": started,
      "/containers/c1/json": [200, inspected("c1", "running")],
      // Its id: the name may be that of another image by now.
      "/images/sha256%3A1d/json": answer,
    });
    using connection = await connected(daemon);
    return (await connection.start()).imageDigest;
  };

  test("is that in its own repository", async () => {
    const RepoDigests = [`mirror/web@sha256:${"0".repeat(64)}`, `shop/web@${web}`];
    expect(await startedOn([200, { Id: "sha256:1d", RepoDigests }])).toBe(web);
  });

  test.each([
    ["it was built on the machine", [200, { Id: "sha256:1d", RepoDigests: null }]],
    ["the image was removed by force", [404, { message: "no such image" }]],
    ["it can't be read", [500, { message: "layer store is locked" }]],
  ] as const)("isn't known, and the container runs: %s", async (_, answer) => {
    expect(await startedOn(answer)).toBeUndefined();
  });
});

describe("a program that listens in its container", () => {
  const looked = async (gateway: string) => {
    const program = createServer((connection) => connection.end());
    await once(program.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void program.close());
    const { port } = program.address() as AddressInfo; // of a server that listens on a port
    // As the daemon's proxy does as long as it can't reach the program.
    const proxy = createServer((connection) => connection.destroy());
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void proxy.close());
    const HostPort = String((proxy.address() as AddressInfo).port); // the same
    const NetworkSettings = {
      Ports: { [`${port}/tcp`]: [{ HostPort }] },
      Networks: { own: { Gateway: gateway, IPAddress: "127.0.0.1" } },
    };
    await using daemon = await fakeDaemon({
      ...networks,
      "/containers/create": [201, { Id: "c1" }],
      "/containers/c1/start": started,
      "/containers/c1/json": [200, { ...inspected("c1", "running"), NetworkSettings }],
    });
    using connection = await connected(daemon);
    const unit = await connection.start();
    return { isOpen: await unit.answers?.(), address: unit.address(port), HostPort };
  };

  test("is asked directly on the daemon's machine, and its address is the published one", async () => {
    const { isOpen, address, HostPort } = await looked("127.0.0.1");
    expect(isOpen).toBe(true);
    expect(address).toBe(`127.0.0.1:${HostPort}`);
  });

  test("is asked through the daemon's proxy where its network is another machine's", async () => {
    const { isOpen, address } = await looked("203.0.113.1");
    expect(isOpen).toBe(false);
    expect(address).toBeUndefined();
  });
});

test("a full disk is a reason without the host's folders", async () => {
  await using daemon = await fakeDaemon({
    ...networks,
    "/containers/create": [500, { message: "mkdir /var/lib/docker/overlay2/2f1a-init: no space left on device" }],
  });
  using connection = await connected(daemon);

  const started = connection.start();

  await expect(started).rejects.toThrow(/^the disk of the machine is full$/u);
});

test("a container of this name that was never started is replaced, because it may have another definition", async () => {
  let isTaken = true;
  await using daemon = await fakeDaemon({
    ...networks,
    "/containers/create": () => (isTaken ? [409, { message: "the name is in use" }] : [201, { Id: "new" }]),
    [`/containers/${name}/json`]: [200, inspected("old", "created")],
    "/containers/old": () => {
      isTaken = false;
      return [204, ""];
    },
    "/containers/new/start": started,
    "/containers/new/json": [200, inspected("new", "running")],
  });
  using connection = await connected(daemon);

  await connection.start();

  const changes = daemon.asked.filter((asked) => /^(?:POST|DELETE) .*\/containers/u.test(asked));
  expect(changes.map((asked) => asked.replace(/\/v1\.\d+/u, ""))).toEqual([
    "POST /containers/create",
    "DELETE /containers/old",
    "POST /containers/create",
    "POST /containers/new/start",
  ]);
});

describe("a container whose daemon closes the connection instead of answering", () => {
  const hangUp: FakeAnswer = (response) => void response.destroy();
  const writes = ({ asked }: FakeDaemon) =>
    asked.filter((each) => /^(?:POST|DELETE) .*\/containers/u.test(each)).map((each) => each.replace(/\/v1\.\d+/u, ""));

  test.each([
    ["it was made", true],
    ["it wasn't made", false],
  ])("to its creation is started once: %s", async (_, isMade) => {
    let asked = 0;
    await using daemon = await fakeDaemon({
      ...networks,
      "/containers/create": (response) => {
        asked += 1;
        return asked === 1 ? void response.destroy() : [201, { Id: "second" }];
      },
      ...(isMade && { [`/containers/${name}/json`]: [200, inspected("first", "created")] as const }),
      "/containers/first": [204, ""],
      "/containers/second/start": started,
      "/containers/second/json": [200, inspected("second", "running")],
    });
    using connection = await connected(daemon);

    await connection.start();

    expect(writes(daemon)).toEqual([
      "POST /containers/create",
      ...(isMade ? ["DELETE /containers/first"] : []),
      "POST /containers/create",
      "POST /containers/second/start",
    ]);
  });

  test.each(["running", "exited"])(
    "to its start is used when it was started, and isn't started again: %s",
    async (state) => {
      await using daemon = await fakeDaemon({
        ...networks,
        "/containers/create": [201, { Id: "c1" }],
        "/containers/c1/start": hangUp,
        "/containers/c1/json": [200, inspected("c1", state)],
      });
      using connection = await connected(daemon);

      await expect(connection.start()).resolves.toMatchObject({ labels: { instance: "web-0" } });
      expect(writes(daemon)).toEqual(["POST /containers/create", "POST /containers/c1/start"]);
    },
  );

  test("to its start, and that isn't started, is left for the next try: it may be starting", async () => {
    await using daemon = await fakeDaemon({
      ...networks,
      "/containers/create": [201, { Id: "c1" }],
      "/containers/c1/start": hangUp,
      "/containers/c1/json": [200, inspected("c1", "created")],
    });
    using connection = await connected(daemon);

    await expect(connection.start()).rejects.toThrow(/^Docker didn't answer: it closed the connection$/u);
    expect(writes(daemon)).toEqual(["POST /containers/create", "POST /containers/c1/start"]);
  });
});

test("a container that no workload knows stays for five minutes: its start may be in progress", async () => {
  const listed = { Id: "c9", Names: [`/${name}`], Labels: labelsOf(owner, labels), State: "running" };
  await using daemon = await fakeDaemon({ "/containers/json": [200, [listed]], "/containers/c9": [204, ""] });
  const removals = () => daemon.asked.filter((asked) => asked.startsWith("DELETE"));
  const clock = stillClock();
  using connection = await connected(daemon, clock);

  await connection.compare();
  await clock.passMs(5 * 60_000 - 1);
  await connection.compare();
  expect(removals()).toEqual([]);

  await clock.passMs(1);
  await connection.compare();
  expect(removals()).not.toEqual([]);
});

/** How a container ends that is seen in these states one after the other; the last one stays. Undefined: it is gone. */
async function endOf(states: readonly (object | undefined)[]) {
  let looks = 0;
  const daemon = await fakeDaemon({
    "/containers/c1/json": () => {
      const state = states[Math.min(looks, states.length - 1)];
      looks += 1;
      if (!state) return [404, { message: "No such container: c1" }];
      return [200, { ...inspected("c1", "exited"), State: { ...state, FinishedAt: "2026-11-21T10:00:00Z" } }];
    },
  });
  const { daemon: api } = await foundAt(daemon);
  const watch = watchContainers({ clock: testClock(), daemon: api, owner, title: "Docker", onEvent: () => undefined });
  onTestFinished(async () => {
    watch.close();
    await daemon[Symbol.asyncDispose]();
  });
  const ended = watch.ended("c1", watch.session());
  await watch.look("c1");
  return { watch, ended };
}

test("a killed container was out of memory, also when Docker learns that only after its end", async () => {
  const killed = { Status: "exited", ExitCode: 137, OOMKilled: false };

  const { ended } = await endOf([killed, killed, killed, { ...killed, OOMKilled: true }]);

  expect(await ended).toMatchObject({ code: 137, isOutOfMemory: true });
});

test.each([
  ["is being removed", [{ Status: "removing", ExitCode: 137 }]],
  ["is gone a moment after it was killed", [{ Status: "exited", ExitCode: 137 }, undefined]],
])("a container that %s was removed by somebody, not killed", async (_, seen) => {
  const { ended } = await endOf(seen);

  const exit = await ended;
  expect(exit).toEqual({ code: null, isRemoved: true, at: "2026-11-21T10:00:00.000Z" });
  expect(exitClause(exit)).toBe("was removed outside Gantry");
});

test("a container that somebody restarts runs on: it ends when it ends the next time", async () => {
  const { watch, ended } = await endOf([
    { Status: "exited", ExitCode: 137 },
    { Status: "running", ExitCode: 0 },
    { Status: "exited", ExitCode: 3 },
  ]);
  expect(watch.isOver("c1")).toBe(false);
  await watch.look("c1");

  expect(await ended).toMatchObject({ code: 3 });
});

describe("a network of Podman, while another container's interface vanishes", () => {
  const busy = {
    cause: "no such network interface",
    message: "route ip+net: no such network interface",
    response: 500,
  };

  async function network(answers: readonly (readonly [number, object])[]) {
    let asked = 0;
    const create = () => {
      asked += 1;
      return answers[asked - 1] ?? answers.at(-1);
    };
    const daemon = await fakeDaemon({ "/version": [200, podmanVersion], "/networks/create": create });
    onTestFinished(() => daemon[Symbol.asyncDispose]());
    const made = (await foundAt(daemon)).daemon.ensureNetwork("gantry-dana", {});
    return { made, asked: () => asked };
  }

  test("is made by the next try", async () => {
    const { made, asked } = await network([
      [500, busy],
      [500, busy],
      [201, { Id: "n1" }],
    ]);
    await made;
    expect(asked()).toBe(3);
  });

  test("isn't tried forever, and any other failure is told at once", async () => {
    const always = await network([[500, busy]]);
    await expect(always.made).rejects.toThrow("no such network interface");
    expect(always.asked()).toBe(6);

    const other = await network([[500, { ...busy, message: "no free subnet", cause: "no free subnet" }]]);
    await expect(other.made).rejects.toThrow("no free subnet");
    expect(other.asked()).toBe(1);
  });
});

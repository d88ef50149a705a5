import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stillClock } from "../../../support/test-clock.ts";
import { makeDockerRuntime } from "../../../../src/service/engines/docker/docker-runtime.ts";
import { containerName, labelsOf } from "../../../../src/service/engines/docker/container-spec.ts";
import type { UnitLabels, UnitSpec } from "../../../../src/service/workloads/runtime.ts";
import { type FakeDaemon, fakeDaemon, foundAt } from "./support/fake-daemon.ts";

const owner = "0b5f6e0e0b5f6e0e";
const unit: UnitLabels = { workload: "uid-of-web", instance: "web-0", container: 0, generation: 3 };
const ownName = containerName(owner, unit);
const spec: UnitSpec = {
  ...unit,
  username: "dana",
  region: "us",
  definition: { name: "web", image: "web:1", pullAlways: false, ports: [], mounts: [] },
  volumes: [],
  ports: [],
  syncTimezone: false,
};

type Stored = { readonly name: string; state: string };

/** A daemon that stores containers with the labels of one of Gantry's, and other people's hands on it. */
async function town({ untilStarts = async () => {} }: { readonly untilStarts?: () => Promise<void> } = {}) {
  const clock = stillClock();
  const containers = new Map<string, Stored>();
  const networks = ["gantry-0123456789ab", "theirs"];
  let count = 0;
  const put = (name: string, state = "running"): string => {
    const id = `c${(count += 1)}`;
    containers.set(id, { name, state });
    const labels = labelsOf(owner, unit);
    const inspected = () => {
      const Status = containers.get(id)?.state;
      const State = { Status, ExitCode: 0, FinishedAt: "0001-01-01T00:00:00Z" };
      const Config = { Image: "shop/web:1", Labels: labels };
      return { Id: id, Name: `/${name}`, Image: "sha256:1d", Config, HostConfig: {}, State, NetworkSettings: {} };
    };
    for (const path of [`/containers/${id}/json`, `/containers/${name}/json`]) {
      daemon.answers[path] = () => (containers.has(id) ? [200, inspected()] : [404, { message: "no such container" }]);
    }
    daemon.answers[`/containers/${id}`] = () => {
      containers.delete(id);
      return [204, ""];
    };
    const started = async (response: ServerResponse) => {
      await untilStarts();
      if (containers.has(id)) containers.set(id, { name, state: "running" });
      response.writeHead(204).end();
    };
    daemon.answers[`/containers/${id}/start`] = (response) => void started(response);
    daemon.answers[`/containers/${id}/stop`] = [204, ""];
    daemon.answers[`/containers/${id}/logs`] = [200, ""];
    return id;
  };
  const daemon: FakeDaemon = await fakeDaemon({
    "/networks": [200, networks.map((Name) => ({ Name }))],
    "/networks/create": [201, { Id: "network" }],
    "/containers/create": (_, request) => {
      const name = new URL(request.url ?? "/", "http://daemon").searchParams.get("name") ?? "";
      const isTaken = [...containers.values()].some((each) => each.name === name);
      return isTaken ? [409, { message: "the name is in use" }] : [201, { Id: put(name, "created") }];
    },
    "/containers/json": () => {
      const Labels = labelsOf(owner, unit);
      return [200, [...containers].map(([Id, { name, state: State }]) => ({ Id, Names: [`/${name}`], Labels, State }))];
    },
  });
  const folder = mkdtempSync(join(tmpdir(), "gantry-own-"));
  onTestFinished(async () => {
    await daemon[Symbol.asyncDispose]();
    // A look that had begun may still write.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  /** The next server on the folder. */
  async function server() {
    const { daemon: api } = await foundAt(daemon);
    const runtime = makeDockerRuntime({
      clock,
      daemon: api,
      folder,
      owner,
      images: { ready: async () => undefined },
      isPodman: false,
      limitsMemory: true,
      graceSeconds: 1,
      connections: 5,
      portsHost: "127.0.0.1",
      readiness: () => ({ ok: true }),
      answeredMs: () => 0,
      onEvent: () => undefined,
    });
    onTestFinished(() => runtime.close());
    return runtime;
  }
  const ids = () => [...containers.keys()];
  return { clock, put, server, ids, folder, containers, asked: daemon.asked };
}

test("a container of an image that was committed from one of ours is left alone", async () => {
  const { put, server, ids } = await town();
  const first = await server();
  await first.adopt();
  await first.start(spec, () => undefined);
  const [ours] = ids();
  const copy = put("copy");
  await first.compare();
  const left = ids();
  await first.close();

  const second = await server();
  const adopted = await second.adopt();
  await second.compare();
  await second.clearOthers(new Set([unit.workload]));
  await second.clear(unit.workload);

  expect(left).toEqual([ours, copy]);
  expect(adopted).toHaveLength(1);
  expect(ids()).toEqual([copy]);
});

test("… also when nothing of ours runs", async () => {
  const { clock, put, server, ids, folder } = await town();
  writeFileSync(join(folder, "docker-containers.json"), "{}");
  const copy = put("copy");

  const only = await server();
  await only.compare();
  await clock.passMs(5 * 60_000);
  await only.compare();

  expect(ids()).toEqual([copy]);
});

test("a container whose start takes long stays, although one that no workload knows is removed by then", async () => {
  let whileItStarts = async () => {};
  const { clock, server, ids } = await town({ untilStarts: () => whileItStarts() });
  const runtime = await server();
  await runtime.adopt();
  whileItStarts = async () => {
    await runtime.compare();
    await clock.passMs(5 * 60_000);
    await runtime.compare();
  };

  await runtime.start(spec, () => undefined);
  await runtime.compare();

  expect(ids()).toHaveLength(1);
});

test("one of the same name that somebody put in the place of ours is left alone, and the start says so", async () => {
  const { put, server, ids, containers } = await town();
  const first = await server();
  await first.adopt();
  await first.start(spec, () => undefined);
  containers.clear();
  const theirs = put(ownName);
  await first.compare();

  await expect(first.start(spec, () => undefined)).rejects.toThrow(
    `somebody else's container is named ${ownName}: rename it with docker rename, or remove it`,
  );
  await first.clear(unit.workload);
  await (await server()).clear(unit.workload);

  expect(ids()).toEqual([theirs]);
});

test("one whose creation wasn't answered before the server was killed is removed, unless it was started", async () => {
  const { put, server, ids, folder } = await town();
  writeFileSync(join(folder, "docker-containers.json"), JSON.stringify({ [ownName]: { isPending: true } }));
  put(ownName, "created");

  const adopted = await (await server()).adopt();

  expect([adopted, ids()]).toEqual([[], []]);
});

test("the containers of an earlier Gantry, which wrote none down, are taken over by their labels and names", async () => {
  const { put, server, ids } = await town();
  const [ours, copy] = [put(ownName), put("copy")];

  const first = await server();
  const adopted = await first.adopt();
  await first.compare();
  const second = await server();
  await second.clear(unit.workload);

  expect(ours).not.toBe(copy);
  expect(adopted).toHaveLength(1);
  expect(ids()).toEqual([copy]);
});

test("a network with our label and another name is left alone", async () => {
  const { server, asked } = await town();

  await (await server()).clear(unit.workload);

  const removed = asked.filter((each) => each.startsWith("DELETE")).map((each) => each.split("/").at(-1));
  expect(removed).toEqual(["gantry-0123456789ab"]);
});

test("a damaged list says what to do", async () => {
  const { server, folder } = await town();
  writeFileSync(join(folder, "docker-containers.json"), "{");

  await expect(server()).rejects.toThrow("Remove it: then those with matching labels and names are taken over.");
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NewService, ServiceUpdate } from "../../../src/api/schema.ts";
import { greet } from "../../service/engines/process/support/engine-world.ts";
import { rest, serving, shell } from "../../support/container-script.ts";
import { busyboxImage } from "../../support/daemons/busybox-image.ts";
import { type TestDaemon, testDaemons } from "../../support/docker.ts";
import { distrust, noRegistry, startRegistry } from "../../support/registry.ts";
import { visitor } from "../../support/visitor.ts";
import { killServiceProcesses } from "../../support/service-process.ts";
import { isLong } from "../support/long.ts";
import { readAgain } from "../support/process-world.ts";
import { type Lane, openLane } from "./support/lane.ts";

const answering = (version: string): string => `${serving(version)}; ${rest}`;
const SECOND = 1_000_000_000;
/** Passes once the container has the file. */
const checkOf = (file: string) => ({ Test: ["CMD", "test", "-e", file], Interval: SECOND, Retries: 3 });

const images = {
  "localhost/shop:1": { Cmd: shell(answering("1")) },
  "localhost/shop:2": { Cmd: shell(answering("2")) },
  "localhost/shop:3": { Cmd: shell(answering("3")) },
  "localhost/shop:crashing": { Cmd: shell("echo no database; exit 3") },
  "localhost/shop:silent": { Cmd: shell(rest) },
  // Its port answers three seconds before its check passes.
  "localhost/shop:checked": {
    Cmd: shell(`${serving("checked")}; sleep 3; touch /tmp/well; ${rest}`),
    Healthcheck: checkOf("/tmp/well"),
  },
  "localhost/shop:unwell": { Cmd: shell(answering("unwell")), Healthcheck: checkOf("/tmp/never") },
} as const;

/** Each visit starts a process in the container. */
const BETWEEN_VISITS_MS = 20;
/** An even number, so that version 2 runs before the last one. With `--long` as many as the documentation tells of. */
const DEPLOYS = isLong ? 20 : 8;

afterAll(killServiceProcesses);

for (const daemon of await testDaemons()) {
  describe.skipIf(daemon.missing !== undefined)(`another image on ${daemon.title}`, () => {
    stories(daemon);
  });
}

function stories(daemon: TestDaemon): void {
  beforeAll(async () => {
    for (const [name, config] of Object.entries(images)) {
      await daemon.must({ method: "POST", path: "/images/load", archive: busyboxImage(name, config) });
    }
  });

  afterAll(async () => {
    for (const name of Object.keys(images)) await daemon.call({ method: "DELETE", path: `/images/${name}?force=1` });
  });

  test("replaces two instances again and again without a failed request, and back", async () => {
    await using lane = await openLane(daemon);
    const web = await runningWeb(lane);
    const { answers, failures, leave } = visitor(web.ask, BETWEEN_VISITS_MS);

    for (let count = 0; count < DEPLOYS; count += 1) {
      await web.update({ containers: [{ image: `localhost/shop:${count % 2 === 0 ? 2 : 3}` }] });
      await web.isDone(count + 2);
    }
    await web.update({ revision: DEPLOYS });
    await web.isDone(DEPLOYS + 2);
    const after = answers.length;
    await lane.world.until(
      async () => answers.length,
      (count) => count > after,
    );
    await leave();

    expect(failures).toEqual([]);
    expect(new Set(answers)).toEqual(new Set(["1", "2", "3"]));
    expect(answers.at(-1)).toBe("2");
    expect(await web.read()).toMatchObject({
      revision: DEPLOYS + 2,
      ready_instances: 2,
      rollout: { state: "done", from: DEPLOYS + 1 },
    });
  });

  test.for([
    ["crashes", "crashing", /^web-0 exited with code 3$/u],
    ["never answers", "silent", /^web-0 is waiting: it doesn't answer on its port$/u],
    ["fails its health check", "unwell", /^web-0 is waiting: it doesn't pass its health check$/u],
  ] as const)("that %s doesn't take over, and going back keeps the instances that serve", async ([, tag, message]) => {
    await using lane = await openLane(daemon);
    const web = await runningWeb(lane);
    const before = await lane.containers();
    const { answers, failures, leave } = visitor(web.ask, BETWEEN_VISITS_MS);

    await web.update({ containers: [{ image: `localhost/shop:${tag}` }] });
    await web.isStuck();
    expect(await web.read()).toMatchObject({
      ready_instances: 2,
      rollout: { from: 1, to: 2, ready: 0, old_ready: 2, message: expect.stringMatching(message) },
    });
    await web.update({ revision: 1 });
    await web.isDone();
    await lane.world.until(lane.containers, ({ length }) => length === 2);
    await leave();

    expect(failures).toEqual([]);
    expect(new Set(answers)).toEqual(new Set(["1"]));
    expect((await lane.containers()).map(({ id }) => id).toSorted()).toEqual(before.map(({ id }) => id).toSorted());
  });

  test("with a health check takes over when that passes, and not when its port answers", async () => {
    await using lane = await openLane(daemon);
    const web = await runningWeb(lane);
    const { answers, failures, leave } = visitor(web.ask, BETWEEN_VISITS_MS);

    await web.update({ containers: [{ image: "localhost/shop:checked" }] });
    await web.isDone();
    const containers = await lane.containers();
    const healths = await Promise.all(containers.map(({ id }) => healthOf(daemon, id)));
    await leave();

    expect(healths).toEqual(["healthy", "healthy"]);
    expect(failures).toEqual([]);
    expect(answers).toContain("checked");
  });

  test("goes on when the service is killed and starts again in the middle", async () => {
    await using lane = await openLane(daemon);
    const web = await runningWeb(lane, 4);

    await web.update({ containers: [{ image: "localhost/shop:2" }] });
    await lane.world.until(web.read, ({ rollout }) => (rollout?.ready ?? 0) > 0);
    await lane.kill();
    await lane.start();
    await readAgain(lane, () => lane.world.ask("getService", { name: "web" }));
    await web.isDone();

    expect(await web.read()).toMatchObject({ revision: 2, revisions: [{ outcome: "done" }, {}], ready_instances: 4 });
    expect(await lane.containers()).toHaveLength(4);
    expect(await web.ask()).toBe("2");
  });

  const withoutRegistry = noRegistry();
  test.skipIf(withoutRegistry !== undefined)(
    `that doesn't exist changes nothing, and the reason is there soon (${withoutRegistry ?? "a real registry"})`,
    async ({ skip, onTestFinished }) => {
      const distrusted = await distrust(daemon);
      if (distrusted !== undefined) skip(distrusted);
      const registry = await startRegistry();
      onTestFinished(() => registry.stop());
      await using lane = await openLane(daemon);
      const web = await runningWeb(lane);
      const before = await lane.containers();
      const image = `${registry.host}/test/none:1`;

      await web.update({ containers: [{ image }] });
      await web.isStuck();

      const message = `web-0 couldn't be started: there is no image ${image}`;
      expect(await web.read()).toMatchObject({ message, ready_instances: 2, rollout: { message, old_ready: 2 } });
      expect(await lane.containers()).toEqual(before);
      expect(await web.ask()).toBe("1");
      await web.update({ revision: 1 });
      await web.isDone();
      expect(await lane.containers()).toEqual(before);
    },
  );

  test.skipIf(withoutRegistry !== undefined)(
    `that doesn't exist stops nothing where two instances must not run at once (${withoutRegistry ?? "a real registry"})`,
    async ({ skip, onTestFinished }) => {
      const distrusted = await distrust(daemon);
      if (distrusted !== undefined) skip(distrusted);
      const registry = await startRegistry();
      onTestFinished(() => registry.stop());
      await using lane = await openLane(daemon);
      const mounted = { volumeMounts: [{ name: "data", mountPath: "/data" }] };
      const web = await runningWeb(lane, 1, {
        containers: [{ image: "localhost/shop:1", resources: { limits: { memory: 32 } }, ...mounted }],
        volumes: [{ name: "data", disk_name: "shop-data" }],
      });
      const before = await lane.containers();

      await web.update({ containers: [{ image: `${registry.host}/test/none:1` }] });
      await web.isStuck();
      expect(await web.read()).toMatchObject({ ready_instances: 1, rollout: { ready: 0, old_ready: 1 } });
      expect(await lane.containers()).toEqual(before);
      expect(await web.ask()).toBe("1");

      await web.update({ containers: [{ image: "localhost/shop:2" }] });
      await web.isDone();
      expect(await web.ask()).toBe("2");
      expect(await lane.containers()).toHaveLength(1);
    },
  );
}

/** Instances of the first version, all ready. */
async function runningWeb(lane: Lane, size = 2, more: Partial<NewService> = {}) {
  const { world } = lane;
  await lane.start();
  const containers = [{ image: "localhost/shop:1", resources: { limits: { memory: 32 } } }];
  const body = { containers, port_mappings: [{ container_port: 8080 }], target_instance_size: size, ...more };
  await world.get("createService", { name: "web", body });
  const read = () => world.get("getService", { name: "web" });
  await world.until(read, ({ status, ready_instances: ready }) => status === "Running" && ready === size);
  const { default_domain_name: address = "" } = await read();
  return {
    read,
    update: (change: ServiceUpdate) => world.get("updateService", { name: "web", body: change }),
    isDone: (revision?: number) =>
      world.until(
        read,
        ({ status, rollout, revision: current }) =>
          status === "Running" && rollout?.state === "done" && current === (revision ?? current),
      ),
    isStuck: () => world.until(read, ({ rollout }) => rollout?.state === "stuck"),
    ask: async () => (await greet(address)).trim(),
  };
}

async function healthOf(daemon: TestDaemon, id: string): Promise<string | undefined> {
  const found = (await daemon.must({ method: "GET", path: `/containers/${id}/json` })) as Inspected; // Docker's API
  return found.State.Health?.Status;
}

type Inspected = { readonly State: { readonly Health?: { readonly Status: string } } };

import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Service } from "../../../../src/api/schema.ts";
import { because, testCluster } from "../../../support/cluster.ts";
import { rest, shell } from "../../../support/container-script.ts";
import { noRegistry, startRegistry, type TestRegistry } from "../../../support/registry.ts";
import { DEADLINE_MS } from "../../../support/until.ts";
import { openRegistryFront } from "../support/registry-front.ts";
import { openTestWorld } from "../support/test-world.ts";

const cluster = await testCluster();
const { noPods, image, removeNamespaces } = cluster;
const missing = noPods ?? noRegistry();

afterAll(removeNamespaces);

/** A service with an instance that runs, and a registry of its own that the node asks for the next version. */
async function town(registry: TestRegistry, { progressDeadlineSeconds = 10 } = {}) {
  const front = await openRegistryFront(registry.host);
  const opened = await openTestWorld(cluster, { settings: { rollouts: { progressDeadlineSeconds } } });
  const { world } = opened;
  const service = () => world.get("getService", { name: "web" });
  await world.get("createService", { name: "web", body: { containers: [{ image, command: shell(rest) }] } });
  await world.until(service, ({ status }) => status === "Running");
  const seen: Service[] = [];
  /** Keeps each state on the way; a busy node is waited for as long as the test may take. */
  const becomes = async (isSo: (service: Service) => boolean): Promise<Service> => {
    for (;;) {
      const { status, body } = await world.ask("getService", { name: "web" });
      const now = body as Service; // the answer of this operation
      if (status === 200) seen.push(now);
      if (status === 200 && isSo(now)) return now;
      await setTimeout(100); // between two reads
    }
  };
  return {
    front,
    world,
    seen,
    becomes,
    /** A new tag, so that the node has to pull it. */
    push: async () => {
      const name = `team/${randomUUID()}:1`;
      await registry.push({ name, version: name });
      return `${front.host}/${name}`;
    },
    deploy: (next: string) => world.get("updateService", { name: "web", body: { containers: [{ image: next }] } }),
    async [Symbol.asyncDispose]() {
      await opened.close();
      await front[Symbol.asyncDispose]();
    },
  };
}

const isNew = ({ status, revision }: Service): boolean => status === "Running" && revision === 2;
const isStuck = ({ status, rollout }: Service): boolean => status === "Failed" || rollout?.state === "stuck";
const waits = ({ message = "" }: Service): boolean =>
  /^(?:ErrImagePull|ImagePullBackOff): waiting for the registry: /u.test(message);

describe
  .skipIf(missing !== undefined)
  .concurrent(`a registry that goes away during a deploy${because(missing)}`, () => {
    let registry: TestRegistry;
    beforeAll(async () => {
      registry = await startRegistry();
    });
    afterAll(() => registry.stop());

    test.each(["down", "busy", "full"] as const)(
      "%s: a good version waits for it past its deadline, and is done when it is back",
      async (state) => {
        await using opened = await town(registry);
        const { front, seen, becomes, deploy, push } = opened;
        const next = await push();
        await front.be(state);
        await deploy(next);
        const since = performance.now();
        await becomes((service) => waits(service) && performance.now() - since > 20_000);

        await front.be("up");
        await becomes(isNew);

        expect(seen.filter(isStuck)).toEqual([]);
        expect(seen.filter(waits).length).toBeGreaterThan(0);
      },
      2 * DEADLINE_MS,
    );

    test(
      "an image that isn't there is stuck once the node has tried three times, and the old instance stays",
      async () => {
        await using opened = await town(registry, { progressDeadlineSeconds: 600 });
        const { front, seen, becomes, deploy } = opened;
        await deploy(`${front.host}/team/absent:1`);

        const stuck = await becomes(isStuck);

        expect(front.asked()).toBeGreaterThanOrEqual(3);
        expect(stuck).toMatchObject({
          status: "Failed",
          ready_instances: 1,
          rollout: { state: "stuck", old_ready: 1 },
        });
        expect(stuck.message).toMatch(/^(?:ErrImagePull|ImagePullBackOff): .*team\/absent:1: not found/u);
        expect(seen.filter(isNew)).toEqual([]);
      },
      2 * DEADLINE_MS,
    );

    // Seconds after the deploy; in the last ones the good version has its image.
    test.each([0, 0.2, 0.5, 1, 2, 3, 5, 8, 12, 18])(
      "away %d s after a deploy: the good version is never taken for a broken one, nor the reverse",
      async (seconds) => {
        await using good = await town(registry, { progressDeadlineSeconds: 600 });
        await using broken = await town(registry, { progressDeadlineSeconds: 600 });
        const each = [
          { ...good, next: await good.push(), isOver: isNew, isWrong: isStuck },
          { ...broken, next: `${broken.front.host}/team/absent:1`, isOver: isStuck, isWrong: isNew },
        ];

        await Promise.all(
          each.map(async ({ front, seen, becomes, deploy, next, isOver, isWrong }) => {
            await deploy(next);
            const since = performance.now();
            const passed = (more: number) => performance.now() - since > (seconds + more) * 1_000;
            await becomes(() => passed(0));
            await front.be("down");
            await becomes(() => passed(15));
            await front.be("up");
            await becomes(isOver);
            expect(seen.filter(isWrong)).toEqual([]);
          }),
        );
      },
      3 * DEADLINE_MS,
    );
  });

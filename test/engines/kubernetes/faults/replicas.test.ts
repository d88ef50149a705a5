import { afterAll, describe, expect, test } from "vitest";
import { because, testCluster } from "../../../support/cluster.ts";
import { isLong } from "../../support/long.ts";
import { openTestWorld } from "../support/test-world.ts";

const cluster = await testCluster();
const { missing, image, listed, removeNamespaces } = cluster;

afterAll(removeNamespaces);

const races = isLong ? 50 : 10;

describe.skipIf(missing !== undefined)(`two replicas of the service${because(missing)}`, () => {
  test(`race for one name ${races} times: one wins, the other is told that the name is taken`, async () => {
    await using one = await openTestWorld(cluster);
    await using other = await openTestWorld(cluster, { namespace: one.namespace });
    const create = (world: typeof one.world, by: string, name: string) =>
      world.ask("createService", {
        name,
        body: { target_instance_size: 0, containers: [{ image, command: ["sh"], env: [{ name: "BY", value: by }] }] },
      });
    const statuses: string[] = [];
    for (let race = 0; race < races; race += 1) {
      const name = `race${race}`;

      const replies = await Promise.all([create(one.world, "one", name), create(other.world, "other", name)]);

      statuses.push(
        replies
          .map(({ status }) => status)
          .toSorted((a, b) => a - b)
          .join(" "),
      );
      const winner = replies[0].status === 200 ? "one" : "other";
      for (const world of [one.world, other.world]) {
        expect(JSON.stringify(await world.get("getService", { name }))).toContain(`"value":"${winner}"`);
      }
    }
    expect(statuses).toEqual(Array.from({ length: races }, () => "200 409"));
    expect(await listed(`/apis/apps/v1/namespaces/${one.namespace}/deployments`)).toHaveLength(races);
  });
});

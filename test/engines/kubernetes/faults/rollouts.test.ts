import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import type { Service } from "../../../../src/api/schema.ts";
import { because, testCluster } from "../../../support/cluster.ts";
import { rest, serving, shell } from "../../../support/container-script.ts";
import { DEADLINE_MS } from "../../../support/until.ts";
import { isLong } from "../../support/long.ts";
import { openApiFront } from "../support/api-front.ts";
import { openTestWorld } from "../support/test-world.ts";

const cluster = await testCluster();
const { noPods, image, removeNamespaces, kubeconfig } = cluster;

afterAll(removeNamespaces);

/** How many moments of each rollout. */
const MOMENTS = isLong ? 10 : 1;
/** Between two of them. A good rollout of two instances takes a few seconds. */
const STEP_MS = 400;
const FIRST_MS = 100;
/** How long the API server is away. */
const AWAY_MS = 5_000;

/** An update changes only the environment. */
const command = shell(`[ "$VERSION" != broken ] || { echo no database; exit 3; }; ${serving("$VERSION")}; ${rest}`);
const versionIs = (value: string) => [{ name: "VERSION", value }];
type Version = "good" | "broken";

/** What an answer says of a rollout that isn't so, whatever was in the way of reading it. */
function untrueIn(version: Version, service: Service): readonly string[] {
  const { status, rollout, restarts, restart_count: count, message, revision, ready_instances: ready } = service;
  if (version === "broken") {
    const isCalledHealthy = status === "Running" && rollout?.state === "done" && revision === 2;
    return isCalledHealthy ? [`healthy: ${ready} are ready`] : [];
  }
  return [
    ...(status === "Failed" || rollout?.state === "stuck" ? [`${status}, ${rollout?.state}: ${message}`] : []),
    ...((restarts?.count ?? 0) > 0 || (count ?? 0) > 0 ? [`a crash: ${restarts?.last_reason ?? message}`] : []),
  ];
}

const isOver: Record<Version, (service: Service) => boolean> = {
  good: ({ status, rollout, ready_instances: ready }) =>
    status === "Running" && rollout?.state === "done" && ready === 2,
  broken: ({ rollout }) => rollout?.state === "stuck" && rollout.old_ready === 2,
};

describe
  .skipIf(noPods !== undefined)
  .concurrent(
    `a rollout while the API server is away${because(noPods)}`,
    { timeout: (MOMENTS + 1) * DEADLINE_MS },
    () => {
      test.for(
        (["stopped", "down", "slow"] as const).flatMap((fault) =>
          (["good", "broken"] as const).map((version) => ({ fault, version })),
        ),
      )("of a $version version is what it is when it is $fault on the way", async ({ fault, version }) => {
        const front = await openApiFront(kubeconfig);
        await using opened = await openTestWorld(cluster, { kubeconfig: front.kubeconfig });
        const { world } = opened;
        const wrong: string[] = [];
        for (let moment = 0; moment < MOMENTS; moment += 1) {
          const name = `${version}${moment}`;
          const afterMs = FIRST_MS + moment * STEP_MS;
          // One without a port that is probed has to run for some seconds.
          const port_mappings = moment % 2 === 0 ? [] : [{ container_port: 8080 }];
          const containers = [
            {
              image,
              command,
              env: versionIs("first"),
              ports: [{ port: 8080, protocol: "TCP" as const }],
            },
          ];
          await world.get("createService", { name, body: { target_instance_size: 2, containers, port_mappings } });
          await world.until(
            () => world.get("getService", { name }),
            ({ status, ready_instances: ready }) => status === "Running" && ready === 2,
          );
          const said = new Set<string>();
          const read = async (): Promise<Service | undefined> => {
            const { status, body } = await world.ask("getService", { name });
            if (status !== 200) return undefined;
            const service = body as Service; // a read that was answered with 200
            for (const each of untrueIn(version, service)) said.add(each);
            return service;
          };
          const startedAt = performance.now();
          const passed = (ms: number) => performance.now() - startedAt > ms;
          const readUntil = async (isSo: (service: Service | undefined) => boolean): Promise<void> => {
            while (!isSo(await read())) await pause(100);
          };

          await world.get("updateService", { name, body: { containers: [{ env: { set: versionIs(version) } }] } });
          await readUntil(() => passed(afterMs));
          await front.be(fault);
          await readUntil(() => passed(afterMs + AWAY_MS));
          await front.be("up");
          await readUntil((service) => service !== undefined && isOver[version](service));
          process.stdout.write(
            `${version}, ${fault} after ${afterMs} ms, ${port_mappings.length} ports: ${[...said].join("; ") || "right"}\n`,
          );
          wrong.push(...said);
          await world.get("deleteService", { name });
        }
        await front.close();

        expect(wrong).toEqual([]);
      });
    },
  );

import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import type { Service } from "../../../../src/api/schema.ts";
import { rest, serving, shell } from "../../../support/container-script.ts";
import { busyboxImage } from "../../../support/daemons/busybox-image.ts";
import { missingFor } from "../../../support/daemons/daemon-command.ts";
import { type OwnDaemon, ownDaemon } from "../../../support/daemons/own-daemon.ts";
import { daemonOf, testDaemons } from "../../../support/docker.ts";
import { faultyRegistry } from "../../../support/faulty-registry.ts";
import { noRegistry, startRegistry } from "../../../support/registry.ts";
import { isLong } from "../../support/long.ts";
import { killServiceProcesses } from "../../../support/service-process.ts";
import { type Lane, openLane } from "../support/lane.ts";

/** How many moments of each rollout. */
const MOMENTS = isLong ? 10 : 1;
/** Between two of them. A good rollout of two instances takes about this many times ten. */
const STEP_MS = 300;
const FIRST_MS = 150;
/** How long something is away. */
const AWAY_MS = 3_000;

type Version = "good" | "broken";
const images = {
  "localhost/rolled:first": { Cmd: shell(`${serving("1")}; ${rest}`) },
  "localhost/rolled:good": { Cmd: shell(`${serving("2")}; ${rest}`) },
  "localhost/rolled:broken": { Cmd: shell("echo no database; exit 3") },
} as const;

/** What happens to the daemon in the middle of a rollout, and is over when it resolves. */
const faults = {
  async stopped(own) {
    await own.end("SIGTERM");
    await pause(AWAY_MS);
    await own.start();
  },
  async killed(own) {
    await own.end("SIGKILL");
    await pause(AWAY_MS);
    await own.start();
  },
  async slow(own) {
    own.freeze();
    await pause(AWAY_MS);
    own.goOn();
  },
} as const satisfies Record<string, (own: OwnDaemon) => Promise<void>>;

type Round = {
  readonly name: string;
  readonly version: Version;
  readonly image: string;
  /** Begins the deploy. */
  readonly deploy: () => Promise<void>;
};

/** Whether a good version became healthy and a broken one was called stuck, and what was said on the way that isn't so. */
async function wrongIn({ world }: Lane, { name, version, image, deploy }: Round): Promise<readonly string[]> {
  const said = new Set<string>();
  const note = ({ status, rollout, restarts, restart_count: count, message, revisions = [] }: Service): void => {
    if (version === "broken") {
      if (revisions.some(({ images, outcome }) => images?.[0] === image && outcome === "done")) said.add("healthy");
      return;
    }
    if (status === "Failed" || rollout?.state === "stuck") said.add(`${status}, ${rollout?.state}: ${message}`);
    if ((restarts?.count ?? 0) > 0 || (count ?? 0) > 0) said.add(`a crash: ${restarts?.last_reason ?? message}`);
  };
  const read = async (): Promise<Service | undefined> => {
    const { status, body } = await world.ask("getService", { name });
    if (status !== 200) return undefined;
    const service = body as Service; // a read that was answered with 200
    note(service);
    return service;
  };
  await deploy();
  const isOver = (service: Service | undefined): boolean =>
    version === "good"
      ? service?.status === "Running" && service.rollout?.state === "done" && service.ready_instances === 2
      : service?.rollout?.state === "stuck" && service.rollout.old_ready === 2;
  await world.until(read, isOver);
  return [...said];
}

afterAll(killServiceProcesses);

for (const { kind, title, missing } of await testDaemons()) {
  const notHere = missing ?? missingFor(kind);
  const reason = missing === undefined && notHere !== undefined ? ` (skipped: ${notHere})` : "";
  describe.skipIf(notHere !== undefined)(`a rollout on ${title}${reason}`, { timeout: 60 * 60_000 }, () => {
    /** Runs a story with a daemon of its own. */
    async function withDaemon<Found>(story: (own: OwnDaemon, lane: Lane) => Promise<Found>): Promise<Found> {
      const own = ownDaemon(kind);
      try {
        await own.start();
        const daemon = await daemonOf(kind, own.host);
        for (const [name, config] of Object.entries(images))
          await daemon.must({ method: "POST", path: "/images/load", archive: busyboxImage(name, config) });
        await using lane = await openLane(daemon, { isDirect: true });
        await lane.start();
        return await story(own, lane);
      } finally {
        own.remove();
      }
    }

    /** A service of two instances of the first version, which are ready. */
    async function running({ world }: Lane, name: string, container: object, port_mappings: object[]): Promise<void> {
      const containers = [{ resources: { limits: { memory: 32 } }, ...container }];
      await world.get("createService", { name, body: { containers, port_mappings, target_instance_size: 2 } });
      await world.until(
        () => world.get("getService", { name }),
        ({ status, ready_instances: ready }) => status === "Running" && ready === 2,
      );
    }

    async function remove({ world, containers }: Lane, name: string): Promise<void> {
      await world.get("deleteService", { name });
      await world.until(containers, (now) => now.length === 0);
    }

    test.for(
      (["stopped", "killed", "slow"] as const).flatMap((fault) =>
        (["good", "broken"] as const).map((version) => ({ fault, version })),
      ),
    )("of a $version version is what it is when the daemon is $fault on the way", async ({ fault, version }) => {
      const found = await withDaemon(async (own, lane) => {
        const wrong: string[] = [];
        for (let moment = 0; moment < MOMENTS; moment += 1) {
          const afterMs = FIRST_MS + moment * STEP_MS;
          const name = `${version}${moment}`;
          const image = `localhost/rolled:${version}`;
          await running(lane, name, { image: "localhost/rolled:first" }, [{ container_port: 8080 }]);
          const deploy = async () => {
            await lane.world.get("updateService", { name, body: { containers: [{ image }] } });
            await pause(afterMs);
            await faults[fault](own);
          };
          const told = await wrongIn(lane, { name, version, image, deploy });
          process.stdout.write(`${kind}: ${version}, ${fault} after ${afterMs} ms: ${told.join("; ") || "right"}\n`);
          wrong.push(...told);
          await remove(lane, name);
        }
        return wrong;
      });

      expect(found).toEqual([]);
    });

    const noRegistryHere = noRegistry();
    test.skipIf(noRegistryHere !== undefined).for(["good", "broken"] as const)(
      `of a %s version is what it is when the registry is away on the way (${noRegistryHere ?? "a real registry"})`,
      async (version, { onTestFinished }) => {
        const registry = await startRegistry();
        onTestFinished(() => registry.stop());
        let line = await faultyRegistry(registry, "none");
        onTestFinished(() => line.close());
        const port = Number(line.host.split(":")[1]);
        const pushed = async (tag: string, script: string): Promise<string> =>
          (await registry.push({ name: `rolled:${tag}`, version: script })).replace(registry.host, line.host);
        const lasting = "trap 'exit 0' TERM; sleep 1000000 & wait\n";
        const found = await withDaemon(async (_, lane) => {
          const wrong: string[] = [];
          for (let moment = 0; moment < MOMENTS; moment += 1) {
            const afterMs = (moment * STEP_MS) / 3;
            const name = `${version}${moment}`;
            await running(
              lane,
              name,
              { image: await pushed(`first${moment}`, lasting), command: ["sh", "-c", ". /version"] },
              [],
            );
            const script = version === "good" ? lasting : "exit 3\n";
            const image = await pushed(`${version}${moment}`, `: ${moment}; ${script}`);
            const deploy = async () => {
              const update = () => lane.world.get("updateService", { name, body: { containers: [{ image }] } });
              if (moment > 0) await update().then(() => pause(afterMs));
              await line.close();
              if (moment === 0) await update();
              // Longer than three failed pulls take, after which a version that doesn't exist is stuck.
              await pause(2 * AWAY_MS);
              line = await faultyRegistry(registry, "none", port);
            };
            const told = await wrongIn(lane, { name, version, image, deploy });
            process.stdout.write(
              `${kind}: ${version}, no registry after ${afterMs} ms: ${told.join("; ") || "right"}\n`,
            );
            wrong.push(...told);
            await remove(lane, name);
          }
          return wrong;
        });

        expect(found).toEqual([]);
      },
    );
  });
}

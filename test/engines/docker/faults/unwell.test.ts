import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rest, shell } from "../../../support/container-script.ts";
import { busyboxImage } from "../../../support/daemons/busybox-image.ts";
import { type TestDaemon, testDaemons } from "../../../support/docker.ts";
import { killServiceProcesses } from "../../../support/service-process.ts";
import { type Lane, openLane } from "../support/lane.ts";

afterAll(killServiceProcesses);

for (const daemon of await testDaemons()) {
  const { title, missing, kind, image } = daemon;
  describe.skipIf(missing !== undefined)(`workloads that fail on ${title}`, () => {
    let lane: Lane | undefined;
    beforeAll(async () => {
      lane = await openLane(daemon);
      await lane.start();
    });
    afterAll(() => lane?.[Symbol.asyncDispose]());

    // Podman doesn't tell why a container was killed, so nobody says that it was the memory.
    const end =
      kind === "docker"
        ? { reason: "OOMKilled", exit_code: 137, said: "exited with code 137 (out of memory)" }
        : { reason: "Error", exit_code: 137, said: "exited with code 137" };
    const greedy = { image, command: ["sh", "-c", "exec tail /dev/zero"], resources: { limits: { memory: 16 } } };

    test("a service that uses more memory than its limit is killed, restarted, and says so", async () => {
      const { world } = lane as Lane; // opened before
      await world.get("createService", { name: "greedy", body: { containers: [greedy] } });

      const { last_state, restarts } = await world.until(
        () => world.get("getService", { name: "greedy" }),
        ({ restart_count: count = 0 }) => count > 0,
      );

      expect(last_state).toMatchObject({ reason: end.reason, exit_code: end.exit_code });
      expect(restarts?.last_reason).toContain(end.said);
      await world.get("deleteService", { name: "greedy" });
    });

    test("a service whose health check fails later isn't ready and says so, and is Failed when that lasts", async () => {
      const { world } = lane as Lane; // opened before
      const name = "localhost/ailing:1";
      const Healthcheck = { Test: ["CMD", "test", "-e", "/tmp/well"], Interval: 1_000_000_000, Retries: 3 };
      const Cmd = shell(`touch /tmp/well; sleep 10; rm /tmp/well; ${rest}`);
      await daemon.must({ method: "POST", path: "/images/load", archive: busyboxImage(name, { Cmd, Healthcheck }) });
      await world.get("createService", { name: "ailing", body: { containers: [{ image: name }] } });
      const read = () => world.get("getService", { name: "ailing" });
      await world.until(read, ({ status, ready_instances: ready }) => status === "Running" && ready === 1);

      const unready = await world.until(read, ({ ready_instances: ready }) => ready === 0);
      const failed = await world.until(read, ({ status }) => status === "Failed");

      const message = "ailing-0 is waiting: it doesn't pass its health check";
      expect(unready).toMatchObject({ status: "Running", message });
      expect(failed).toMatchObject({ message, restart_count: 0 });
      await world.get("deleteService", { name: "ailing" });
      await daemon.call({ method: "DELETE", path: `/images/${name}?force=1` });
    });

    test("a crash loop is Failed and says why; there are never two containers, and of its volumes only its disk stays", async () => {
      const { world, containers } = lane as Lane; // opened before
      const withVolume = await imageWithVolume(daemon);
      const volumeMounts = [{ name: "data", mountPath: "/data" }];
      const looping = { image: withVolume, command: shell("echo up; exit 3"), volumeMounts };
      const disks = [{ name: "data", disk_name: "kept" }];
      const volumes = new Set<string>();
      await world.get("createService", { name: "looping", body: { containers: [looping], volumes: disks } });
      let most = 0;

      const failed = await world.until(
        async () => {
          const present = (await containers()).filter(({ labels }) => labels["gantry.instance"] === "looping-0");
          most = Math.max(most, present.length);
          for (const { id } of present) for (const name of await volumesOf(daemon, id)) volumes.add(name);
          return await world.get("getService", { name: "looping" });
        },
        // A start that the daemon refuses on a busy machine is a failure, too, and the next one follows.
        ({ status, last_state }) => status === "Failed" && last_state?.exit_code === 3,
      );

      expect(failed).toMatchObject({ message: "looping-0 exited with code 3" });
      expect(most).toBe(1);
      await world.get("deleteService", { name: "looping" });
      const statuses = new Set<string>();
      for (const name of volumes) {
        const { status } = await daemon.call({ method: "GET", path: `/volumes/${name}` });
        statuses.add(`${name.startsWith("gantry-disk-") ? "its disk" : "its image's"}: ${status}`);
      }
      expect([...statuses].toSorted()).toEqual(["its disk: 200", "its image's: 404"]);
    });
  });
}

/** An image that asks for a volume, as those of databases do. */
async function imageWithVolume({ must, image }: TestDaemon): Promise<string> {
  const name = "localhost/volatile";
  const { Id } = (await must({ method: "POST", path: "/containers/create", body: { Image: image } })) as { Id: string }; // Docker's API
  const changes = encodeURIComponent("VOLUME /cache");
  await must({ method: "POST", path: `/commit?container=${Id}&repo=${name}&tag=1&changes=${changes}`, body: {} });
  await must({ method: "DELETE", path: `/containers/${Id}` });
  return `${name}:1`;
}

async function volumesOf({ call }: TestDaemon, id: string): Promise<readonly string[]> {
  const { status, body } = await call({ method: "GET", path: `/containers/${id}/json` });
  // It is gone, or Podman is removing it, which it answers with 500.
  if (status !== 200) return [];
  const { Mounts } = body as { Mounts: readonly { Type: string; Name: string }[] }; // Docker's API
  return Mounts.filter(({ Type }) => Type === "volume").map(({ Name }) => Name);
}

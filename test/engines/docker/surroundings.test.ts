import { afterAll, describe, expect, test } from "vitest";
import type { UnitSpec } from "../../../src/service/workloads/runtime.ts";
import { testDaemons } from "../../support/docker.ts";
import { until } from "../../support/until.ts";
import { specOf, unitWorld } from "./support/unit-world.ts";

const web = "mkdir -p /tmp/www; echo hello >/tmp/www/index.html; httpd -p 8080 -h /tmp/www; sleep 1000000 & wait";
const forever = "sleep 1000000 & wait";
const disk = { kind: "disk", username: "dana", region: "us", name: "data" } as const;

for (const daemon of await testDaemons()) {
  describe.skipIf(daemon.missing !== undefined)(`networks, ports and volumes of ${daemon.title}`, () => {
    const world = unitWorld(daemon);
    afterAll(() => world.close());
    const networks = async () =>
      ((await daemon.must({ method: "GET", path: `/networks?${filter}` })) as readonly object[]).length; // Docker's API
    const filter = `filters=${encodeURIComponent(JSON.stringify({ label: [world.label] }))}`;
    const resolving = async () => {
      if (daemon.kind === "docker") return true;
      const listed = await daemon.must({ method: "GET", path: `/v4.0.0/libpod/networks/json?${filter}` });
      return (listed as readonly { dns_enabled: boolean }[]).every((network) => network.dns_enabled); // Podman's own API
    };
    const called = (instance: string, script: string): UnitSpec => specOf(daemon.image, script, { instance });

    /**
     * Whether one lookup finds the name in a container of this user. A container has its names from its creation on, but the
     * daemon's name server may learn of them a moment after the start, and answer late on a busy machine.
     */
    const knows = async (name: string, more: Partial<UnitSpec> = {}) => {
      const unit = await world.start(`busybox nslookup ${name}`, more);
      const { code } = await unit.exited;
      await unit.discard();
      return code === 0;
    };

    test("containers of a user find a service by its name and its instances by theirs; others don't", async () => {
      const shop = await world.started(called("shop-0", forever));
      const second = await world.started({ ...called("shop-0", forever), container: 1 });
      const names = ["shop", "shop-0", "shop-0-2"];

      // Podman has names with netavark and aardvark-dns only.
      if (await resolving()) await Promise.all(names.map((name) => until(() => knows(name))));
      else expect(await Promise.all(names.map((name) => knows(name)))).toEqual([false, false, false]);
      const others = [{ username: "alex" }, { region: "beijing1" }];
      expect(await Promise.all(others.map((more) => knows("shop", more)))).toEqual([false, false]);
      await Promise.all([shop.stop(), second.stop()]);
    });

    test("a published port has its address once the program listens, and none after the end", async () => {
      const unit = await world.started({ ...called("late-0", `sleep 1; ${web}`), ports: [8080] });
      expect(await unit.answers?.()).toBe(false);
      expect(unit.address(8080)).toBeUndefined();

      await until(async () => (await unit.answers?.()) === true);
      const address = unit.address(8080);
      expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
      expect(await (await fetch(`http://${address}/`)).text()).toBe("hello\n");

      await unit.stop();
      expect(unit.address(8080)).toBeUndefined();
    });

    test("a disk keeps its content when the workload is deleted, and a read-only one can't be written", async () => {
      const mounted = (script: string, readOnly: boolean): UnitSpec => {
        const spec = specOf(daemon.image, script);
        const mounts = [{ name: "data", mountPath: "/data" }];
        return {
          ...spec,
          volumes: [{ name: "data", source: disk, readOnly }],
          definition: { ...spec.definition, mounts },
        };
      };
      const writer = await world.started(mounted("echo kept >/data/file", false));
      expect(await writer.exited).toMatchObject({ code: 0 });
      await world.runtime.clear(writer.labels.workload);

      const reader = await world.started(mounted("cat /data/file; echo other >/data/file", true));
      expect(await reader.exited).toMatchObject({ code: 1 });
      expect(world.lines).toContain("kept");
      const name = world.runtime.volumePath(disk);
      expect(await daemon.must({ method: "GET", path: `/volumes/${name}` })).toMatchObject({
        Labels: { "gantry.user": "dana", "gantry.disk": "data" },
      });
    });

    test("a network goes with its last container", async () => {
      const own = unitWorld(daemon);
      const labelled = `filters=${encodeURIComponent(JSON.stringify({ label: [own.label] }))}`;
      const count = async () =>
        ((await daemon.must({ method: "GET", path: `/networks?${labelled}` })) as readonly object[]).length; // as above
      const [first, last] = [await own.start(web), await own.start(web)];
      expect(await count()).toBe(1);

      await first.stop();
      await own.runtime.clear(first.labels.workload);
      expect(await count()).toBe(1);
      await last.stop();
      await own.runtime.clear(last.labels.workload);
      expect(await count()).toBe(0);
      await own.close();
      expect(await networks()).toBeGreaterThan(0);
    });
  });
}

import { afterAll, describe, expect, test } from "vitest";
import { until } from "../../support/until.ts";
import { testDaemons } from "../../support/docker.ts";
import { specOf, unitWorld } from "./support/unit-world.ts";

const forever = "sleep 1000000 & wait";

for (const daemon of await testDaemons()) {
  describe.skipIf(daemon.missing !== undefined)(`containers of ${daemon.title}`, () => {
    const world = unitWorld(daemon);
    afterAll(() => world.close());
    const idOf = async (workload: string) => {
      const all = await daemon.containersWith(world.label);
      return all.find(({ labels }) => labels["gantry.workload"] === workload)?.id ?? "";
    };

    test("one that ends says its exit code and when it ended, after its last line", async () => {
      const before = Date.now() - 1_000;
      const exit = await world.ended(await world.start("echo the last line; exit 3"));

      expect(exit).toMatchObject({ code: 3 });
      expect(Date.parse(exit.at ?? "")).toBeGreaterThan(before);
      expect(world.lines).toContain("the last line");
    });

    test("one that is killed for its memory has ended with 137; Docker says why", async () => {
      const spec = specOf(daemon.image, "tail /dev/zero");
      const unit = await world.started({ ...spec, definition: { ...spec.definition, memoryMib: 16 } });

      const outOfMemory = daemon.kind === "docker" ? { isOutOfMemory: true } : {};
      expect(await world.ended(unit)).toEqual({ code: 137, at: expect.any(String), ...outOfMemory });
    });

    test.each([
      ["/not/there", 127],
      ["/etc/passwd", 126],
    ])("a command that can't run, %s, ends with %i as in a shell, and the log says why", async (command, code) => {
      const spec = specOf(daemon.image, "");
      const unit = await world.started({ ...spec, definition: { ...spec.definition, command: [command] } });

      expect(await world.ended(unit)).toEqual({ code });
      expect(world.lines.some((line) => line.startsWith(`the command can't be run: exec: "${command}"`))).toBe(true);
      expect(await idOf(spec.workload)).toBe("");
    });

    test("one that somebody removes is gone, and its exit says so", async () => {
      const unit = await world.start(forever);
      await daemon.must({ method: "DELETE", path: `/containers/${await idOf(unit.labels.workload)}?force=1` });

      expect((await world.ended(unit)).isRemoved ?? (await unit.exited).code === 137).toBe(true);
    });

    test("one that somebody stops has ended, as by itself", async () => {
      const unit = await world.start(forever);
      await daemon.must({ method: "POST", path: `/containers/${await idOf(unit.labels.workload)}/stop?t=5` });

      expect(await world.ended(unit)).toMatchObject({ code: 0 });
    });

    test("one that somebody paused can be stopped", async () => {
      const unit = await world.start(forever);
      await daemon.must({ method: "POST", path: `/containers/${await idOf(unit.labels.workload)}/pause` });

      await unit.stop();

      expect((await unit.exited).code).not.toBeNull();
    });

    test("one that ignores SIGTERM is killed after its grace time", async () => {
      const unit = await world.start("trap '' TERM; sleep 1000000 & wait");
      await unit.stop();

      expect(await unit.exited).toMatchObject({ code: 137 });
    });

    test("is kept until its end was recorded, and its name is free then", async () => {
      const spec = specOf(daemon.image, "exit 0");
      const unit = await world.started(spec);
      await unit.exited;
      expect(await idOf(spec.workload)).not.toBe("");

      await unit.discard();
      expect(await idOf(spec.workload)).toBe("");
      await (
        await world.started(spec)
      ).exited;
    });

    test("changes its memory while it runs on Docker; Podman's is replaced", async () => {
      const spec = specOf(daemon.image, forever);
      const unit = await world.started({ ...spec, definition: { ...spec.definition, memoryMib: 64 } });
      expect(unit.limitMib?.()).toBe(64);

      expect(await unit.resize?.(128)).toBe(daemon.kind === "docker");
      expect(unit.limitMib?.()).toBe(daemon.kind === "docker" ? 128 : 64);
      await unit.stop();
    });

    test("has no rights beyond its own", async () => {
      const unit = await world.start(forever);
      const path = `/containers/${await idOf(unit.labels.workload)}/json`;
      const { HostConfig: host } = (await daemon.must({ method: "GET", path })) as { HostConfig: object }; // Docker's API

      expect(host).toMatchObject({ Privileged: false, SecurityOpt: ["no-new-privileges"], PidsLimit: 4096 });
      expect(JSON.stringify(host)).not.toContain('"NetworkMode":"host"');
      await unit.stop();
    });

    test("a container of ours that no workload knows is removed, after a time in which its start could have been in progress", async () => {
      const lost = unitWorld(daemon);
      await lost.start(forever);
      await lost.runtime.close();
      const ids = async () => (await daemon.containersWith(lost.label)).map((each) => each.id);
      expect(await ids()).toHaveLength(1);

      // It adopts nothing.
      const next = lost.successor();
      await next.runtime.compare();
      expect(await ids()).toHaveLength(1);
      next.clock.passMs(5 * 60_000);
      await next.runtime.compare();
      // The runtime's own comparison may have begun the removal, and the daemon is still at it.
      await until(async () => (await ids()).length === 0);
      await next.close();
    });

    test("a stranger with this folder's label is left alone", async () => {
      const [key = "", value = ""] = world.label.split("=");
      const body = { Image: daemon.image, Cmd: ["sleep", "1000"], Labels: { [key]: value } };
      const { Id: id } = (await daemon.must({ method: "POST", path: "/containers/create", body })) as { Id: string }; // Docker's API

      await world.runtime.compare();
      await world.runtime.clearOthers(new Set());

      expect((await daemon.containersWith(world.label)).map((each) => each.id)).toContain(id);
    });
  });
}

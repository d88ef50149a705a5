import { afterAll, describe, expect, test } from "vitest";
import type { Reply } from "../../../service/contract/world.ts";
import { every, shell } from "../../../support/container-script.ts";
import { missingFor } from "../../../support/daemons/daemon-command.ts";
import { ownDaemon } from "../../../support/daemons/own-daemon.ts";
import { daemonOf, testDaemons } from "../../../support/docker.ts";
import { mountSmallDisk, unmountAll } from "../../../fuzz/small-disk.ts";
import { killServiceProcesses } from "../../../support/service-process.ts";
import { serviceBody } from "../kill/changes.ts";
import { wrongContainers, wrongLog } from "../kill/inspect.ts";
import { type Lane, openLane } from "../support/lane.ts";

const REFUSED = "The disk of the workload API is full. Nothing was changed. Free some space and try again.";

afterAll(() => {
  killServiceProcesses();
  unmountAll();
});

for (const daemon of await testDaemons()) {
  const { title, kind, image } = daemon;
  const missing = daemon.missing ?? missingFor(kind);
  const reason = daemon.missing === undefined && missing !== undefined ? ` (skipped: ${missing})` : "";
  describe.skipIf(missing !== undefined)(`a full disk with ${title}${reason}`, () => {
    const running = ({ world }: Lane, name: string) =>
      world.until(
        () => world.get("getService", { name }),
        ({ status }) => status === "Running",
      );
    const body = { containers: [{ image, command: shell("echo ran $(hostname); sleep 3; exit 0") }] };

    test("of the service: changes are refused, all runs on, and nothing is run twice afterwards", async () => {
      const disk = mountSmallDisk();
      await using lane = await openLane(daemon, { within: disk.path });
      const { world } = lane;
      await lane.start();
      await world.get("createService", { name: "steady", body: serviceBody() });
      await running(lane, "steady");
      const before = (await lane.containers()).map(({ id }) => id);
      await world.get("createJob", { name: "once", body });
      // A second run would name another container.
      const ran = async () => {
        const { instance_names: [instance = ""] = [] } = await world.get("getJob", { name: "once" });
        const lines = instance === "" ? [] : await world.get("getJobInstanceLogs", { name: "once", instance });
        return lines.filter((line) => line.includes("ran "));
      };
      const lines = await world.until(ran, (now) => now.length > 0);

      // What a file has in reserve takes a few changes more.
      const accepted: string[] = [];
      const refusal = await world.until(
        async (): Promise<Reply> => {
          disk.fill();
          const name = `more${accepted.length}`;
          const reply = await world.ask("createService", { name, body: { ...serviceBody(), target_instance_size: 1 } });
          if (reply.status === 200) accepted.push(name);
          return reply;
        },
        ({ status }) => status !== 200,
      );
      expect([refusal.status, refusal.body]).toMatchObject([503, { message: REFUSED }]);
      expect(await world.get("getService", { name: "steady" })).toMatchObject({ status: "Running" });
      await world.until(
        () => world.get("getJob", { name: "once" }),
        ({ status }) => status?.succeeded === 1,
      );
      await lane.kill();
      disk.free();
      await lane.start();

      const names = (await world.get("listServices")).services.map(({ name }) => name);
      expect(names.toSorted()).toEqual(["steady", ...accepted].toSorted());
      await world.get("createService", { name: "later", body: serviceBody() });
      await running(lane, "later");
      expect((await world.get("getJob", { name: "once" })).status).toMatchObject({ succeeded: 1 });
      expect(await ran()).toEqual(lines);
      expect((await lane.containers()).map(({ id }) => id)).toEqual(expect.arrayContaining(before));
      for (const name of [...accepted, "later"]) await world.get("deleteService", { name });
      expect(await wrongContainers(lane, await world.ask("getService", { name: "steady" }))).toEqual([]);
    });

    test("of the daemon: a workload that can't start says why, and starts when there is room", async () => {
      const disk = mountSmallDisk();
      const own = ownDaemon(kind, { dataFolder: disk.path });
      try {
        await own.start();
        await using lane = await openLane(await daemonOf(kind, own.host), { isDirect: true });
        const { world } = lane;
        await lane.start();
        disk.fill();
        await world.get("createService", { name: "cramped", body: serviceBody() });

        const failing = await world.until(
          () => world.get("getService", { name: "cramped" }),
          ({ message }) => /disk/iu.test(message ?? ""),
        );
        expect(failing.message).toMatch(/couldn't be started: the disk of the machine is full$/u);
        expect(failing.status).not.toBe("Running");
        disk.free();

        await running(lane, "cramped");
        expect(await wrongContainers(lane, await world.ask("getService", { name: "cramped" }))).toEqual([]);
        expect(await wrongLog(lane, "cramped", await lane.containers())).toEqual([]);
      } finally {
        own.remove();
      }
    });

    test("of the daemon: a program runs on, and its log says where lines can be missing", async () => {
      const disk = mountSmallDisk();
      const own = ownDaemon(kind, { dataFolder: disk.path });
      try {
        await own.start();
        await using lane = await openLane(await daemonOf(kind, own.host), { isDirect: true });
        const { world } = lane;
        await lane.start();
        const counting = shell(every(0.02, "echo line $((i=i+1))"));
        await world.get("createService", { name: "counts", body: { containers: [{ image, command: counting }] } });
        await running(lane, "counts");
        const log = async () =>
          (await world.get("getServiceLogs", { name: "counts", query: { size: 1_000 } })).map((entry) => entry.log);
        const numbersIn = (lines: readonly string[]) => lines.flatMap((line) => /^line (\d+)$/u.exec(line)?.[1] ?? []);
        const last = async () => Number(numbersIn(await log()).at(-1) ?? 0);
        await world.until(last, (now) => now > 10);

        disk.fill();
        await world.until(log, (lines) => lines.some((line) => line.includes("disk of the machine is full")));
        const before = await last();
        disk.free();
        await world.until(last, (now) => now > before + 100);

        const notes = (await log()).filter((line) => line.includes("the disk of the machine"));
        expect(notes).toEqual([
          "[gantry] the disk of the machine is full: lines from here on can be missing",
          "[gantry] the disk of the machine has space again: lines before this one can be missing",
        ]);
        expect(await world.get("getService", { name: "counts" })).toMatchObject({ status: "Running" });
      } finally {
        own.remove();
      }
    });
  });
}

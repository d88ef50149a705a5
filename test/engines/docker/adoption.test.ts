import { randomBytes } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { containerName, labelsOf } from "../../../src/service/engines/docker/container-spec.ts";
import type { UnitSpec } from "../../../src/service/workloads/runtime.ts";
import { testDaemons, type TestDaemon } from "../../support/docker.ts";
import { until } from "../../support/until.ts";
import { specOf, type UnitWorld, unitWorld } from "./support/unit-world.ts";

const forever = "sleep 1000000 & wait";

/**
 * A container as a killed server left it, which was still waiting for the answer to its creation, or had it; and the id
 * and the data folder of that server.
 */
async function leftContainer(daemon: TestDaemon, spec: UnitSpec, isAnswered: boolean) {
  const owner = randomBytes(8).toString("hex");
  const folder = mkdtempSync(join(tmpdir(), "gantry-left-"));
  const { command } = spec.definition;
  const HostConfig = { NetworkMode: "none" };
  const body = { Image: daemon.image, Cmd: command, Labels: labelsOf(owner, spec), HostConfig };
  const name = containerName(owner, spec);
  const path = `/containers/create?name=${name}`;
  const { Id: id } = (await daemon.must({ method: "POST", path, body })) as { Id: string }; // Docker's API
  const saved = { [name]: isAnswered ? { id } : { isPending: true } };
  writeFileSync(join(folder, "docker-containers.json"), JSON.stringify(saved));
  return { id, owner, folder };
}

for (const daemon of await testDaemons()) {
  describe.skipIf(daemon.missing !== undefined)(`what a server finds again on ${daemon.title}`, () => {
    const worlds: UnitWorld[] = [];
    const open = (left?: { readonly owner: string; readonly folder: string }) => {
      const world = unitWorld(daemon, left?.owner, left?.folder);
      worlds.push(world);
      return world;
    };
    afterAll(() => Promise.all(worlds.map((world) => world.close())));
    const idsOf = async ({ label }: UnitWorld) => (await daemon.containersWith(label)).map(({ id }) => id);

    test("a container that runs is adopted: its lines are read, its end is noticed, and none is started", async () => {
      const first = open();
      await first.start("echo from before; sleep 1; echo from after; exit 4");
      const before = await idsOf(first);
      await first.runtime.close();

      const second = first.successor();
      const [unit] = await second.adopt();

      expect(await unit?.exited).toMatchObject({ code: 4 });
      expect(second.lines).toEqual(["from before", "from after"]);
      expect(await idsOf(second)).toEqual(before);
      await second.runtime.close();
    });

    test("one that ended meanwhile says how and when it did, and its lines can be read", async () => {
      const first = open();
      const unit = await first.start("echo the result; exit 0");
      const exit = await unit.exited;
      await first.runtime.close();

      const second = first.successor();
      const [adopted] = await second.adopt();

      expect(await adopted?.exited).toEqual(exit);
      expect(second.lines).toEqual(["the result"]);
      await adopted?.discard();
      expect(await idsOf(second)).toEqual([]);
      await second.runtime.close();
    });

    test("one that was created and never started isn't adopted, but removed", async () => {
      const world = open(await leftContainer(daemon, specOf(daemon.image, forever), false));

      expect(await world.adopt()).toEqual([]);
      expect(await idsOf(world)).toEqual([]);
    });

    test("one that was created behind the successor's back makes room for the new one", async () => {
      const spec = specOf(daemon.image, "exit 5");
      const left = await leftContainer(daemon, spec, false);
      const world = open(left);

      expect(await (await world.started(spec)).exited).toMatchObject({ code: 5 });
      expect(await idsOf(world)).not.toContain(left.id);
    });

    test.each([
      ["still runs", "sleep 1; exit 6"],
      ["has ended", "exit 6"],
    ])("one whose start was not confirmed and that %s is used, not run a second time", async (_, script) => {
      const spec = specOf(daemon.image, script);
      const left = await leftContainer(daemon, spec, true);
      await daemon.must({ method: "POST", path: `/containers/${left.id}/start` });

      const world = open(left);
      const unit = await world.started(spec);

      expect(await unit.exited).toMatchObject({ code: 6 });
      expect(await idsOf(world)).toEqual([left.id]);
    });

    test("what another folder's server or a person made is left alone", async () => {
      const [ours, theirs] = [open(), open()];
      await theirs.start(forever);
      await ours.start(forever);
      const before = await idsOf(theirs);

      await ours.runtime.clearOthers(new Set());
      const [unit] = await ours.successor().adopt();
      await unit?.stop();
      await ours.runtime.clear(unit?.labels.workload ?? "");

      expect(await idsOf(theirs)).toEqual(before);
      expect(await daemon.containersWith(theirs.label)).toMatchObject([{ state: "running" }]);
    });

    test("a container of an image that was committed from one of ours is left alone", async () => {
      const world = open();
      const unit = await world.start(forever);
      const [ours] = await idsOf(world);
      const { Id: image } = (await daemon.must({ method: "POST", path: `/commit?container=${ours}`, body: {} })) as {
        Id: string;
      }; // Docker's API
      const body = { Image: image, HostConfig: { NetworkMode: "none" } };
      const { Id: copy } = (await daemon.must({ method: "POST", path: "/containers/create?name=copy", body })) as {
        Id: string;
      }; // Docker's API
      await daemon.must({ method: "POST", path: `/containers/${copy}/start` });

      const next = world.successor();
      const adopted = await next.adopt();
      await unit.stop();
      await next.runtime.clear(unit.labels.workload);
      await next.runtime.clearOthers(new Set());

      expect(adopted).toHaveLength(1);
      expect(await idsOf(world)).toEqual([copy]);
    });

    test("containers of workloads that no longer exist are removed", async () => {
      const world = open();
      await (
        await world.start("exit 0")
      ).exited;
      const kept = await world.start(forever);

      await world.runtime.clearOthers(new Set([kept.labels.workload]));

      await until(async () => (await idsOf(world)).length === 1);
      expect(await daemon.containersWith(world.label)).toMatchObject([{ state: "running" }]);
    });
  });
}

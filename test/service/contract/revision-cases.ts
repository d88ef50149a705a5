import { expect } from "vitest";
import type { Service } from "../../../src/api/schema.ts";
import type { ContractCase } from "./contract.ts";
import { expectRefusal } from "./refusal.ts";
import { definitionOf, answers, idleService, runningService } from "./web-service.ts";
import type { World } from "./world.ts";

const env = [
  { name: "LEVEL", value: "info" },
  { name: "OLD", value: "1" },
  { name: "KEY", value: "s3cret" },
];

/** A web service without instances, with these variables; its name. */
async function serviceWithVariables(world: World): Promise<string> {
  const name = await idleService(world, { containers: [{ ...world.workloads.web.container, env }] });
  await revisionReaches(world, name, 1);
  return name;
}

/** An engine may number a revision a moment after it took the change. */
async function revisionReaches(world: World, name: string, wanted: number): Promise<Service> {
  return await world.until(
    () => world.get("getService", { name }),
    ({ revision, revisions }) => revision === wanted && revisions?.[0]?.revision === wanted,
  );
}

export const revisionCases: readonly ContractCase[] = [
  {
    operation: "updateService",
    title: "rolls another image out, and tells how far it is and what ran before",
    needsPods: true,
    async run(world) {
      const { container, otherImage } = world.workloads.web;
      const name = await runningService(world, { target_instance_size: 2 });
      await revisionReaches(world, name, 1);

      await world.get("updateService", { name, body: { containers: [{ image: otherImage }] } });

      const after = await world.until(
        () => world.get("getService", { name }),
        ({ status, rollout }) => status === "Running" && rollout?.to === 2 && rollout.state === "done",
      );
      expect(after).toMatchObject({
        containers: [{ image: otherImage }],
        revision: 2,
        revisions: [
          { revision: 2, images: [otherImage], outcome: "done" },
          { revision: 1, images: [container.image] },
        ],
        rollout: { from: 1, updated: 2, ready: 2, old_ready: 0, target: 2 },
      });
      const { services } = await world.get("listServices");
      const listed = services.find((each) => each.name === name);
      expect(listed).toMatchObject({ revision: 2 });
      expect(listed).not.toHaveProperty("rollout");
      await answers(world, after);
    },
  },
  {
    operation: "updateService",
    title: "sets and removes variables by name; the others stay",
    async run(world) {
      const name = await serviceWithVariables(world);

      const set = [
        { name: "NEW", value: "$(HOME) $$" },
        { name: "LEVEL", value: "debug" },
      ];
      const body = { containers: [{ env: { set, remove: ["OLD", "NEVER"] } }] };
      await world.get("updateService", { name, body });

      const { containers } = await revisionReaches(world, name, 2);
      expect(containers?.[0]?.env).toEqual([
        { name: "LEVEL", value: "debug" },
        { name: "KEY", value: "s3cret" },
        { name: "NEW", value: "$(HOME) $$" },
      ]);
      expect(containers?.[0]?.image).toBe(world.workloads.web.container.image);
    },
  },
  {
    operation: "updateService",
    title: "goes back to an earlier image and its variables, and keeps the size",
    async run(world) {
      const { container, otherImage } = world.workloads.web;
      const name = await serviceWithVariables(world);
      const change = { image: otherImage, env: { remove: ["KEY"], set: [{ name: "LEVEL", value: "debug" }] } };
      await world.get("updateService", { name, body: { containers: [change] } });
      const there = await revisionReaches(world, name, 2);
      expect(there.containers?.[0]?.image).toBe(otherImage);

      await world.get("updateService", { name, body: { revision: 1 } });

      const back = await revisionReaches(world, name, 3);
      expect(back).toMatchObject({ containers: [{ image: container.image, env }], target_instance_size: 0 });
      expect(back.revisions?.slice(0, 2)).toMatchObject([
        { revision: 3, images: [container.image] },
        { revision: 2, images: [otherImage] },
      ]);
    },
  },
  {
    operation: "updateService",
    title: "answers 409 for a revision that isn't kept and 400 for one beside other changes, and changes nothing",
    async run(world) {
      const name = await serviceWithVariables(world);
      const before = await world.get("getService", { name });

      const unknown = { revision: 99 };
      expectRefusal(await world.ask("updateService", { name, body: unknown }), {
        status: 409,
        naming: "it has 1",
        of: unknown,
      });
      for (const body of [{ revision: 1, target_instance_size: 3 }, { revision: 0 }, { revision: "1" }]) {
        expectRefusal(await world.ask("updateService", { name, body }), { status: 400, naming: "revision", of: body });
      }

      expect(definitionOf(await world.get("getService", { name }))).toEqual(definitionOf(before));
    },
  },
];

import { expect } from "vitest";
import type { Service } from "../../../src/api/schema.ts";
import type { ContractCase } from "./contract.ts";
import { canSend, refusesDomains } from "./refused-domains.ts";
import { expectRefusal } from "./refusal.ts";
import {
  answers,
  definitionOf,
  idleService,
  runningService,
  serviceThatIs,
  startsOf,
  startsReach,
  stoppedService,
  total,
  webBody,
} from "./web-service.ts";

function memoryOf({ containers }: Service): unknown {
  return containers?.[0]?.resources?.limits?.memory;
}

/** About as many as fit into a body: comparing each with each would hold everybody up. */
const manyDomains = Array.from({ length: 60_000 }, (_, index) => `${index}.d.ee`);

export const updateServiceCases: readonly ContractCase[] = [
  {
    operation: "updateService",
    title: "adds instances and leaves those that run alone",
    needsPods: true,
    async run(world) {
      const name = await runningService(world);
      const [first = ""] = Object.keys(await startsReach(world, name, 1));
      const before = await world.get("getService", { name });

      expect(await world.get("updateService", { name, body: { target_instance_size: 3 } })).toEqual({});

      await startsReach(world, name, 3);
      const after = await serviceThatIs(world, name, "Running");
      expect(definitionOf(after)).toEqual({ ...definitionOf(before), target_instance_size: 3 });
      const starts = await startsOf(world, name);
      expect(Object.keys(starts)).toHaveLength(3);
      expect(starts[first]).toBe(1);
    },
  },
  {
    operation: "updateService",
    title: "ends instances that are too many and leaves the others alone",
    needsPods: true,
    async run(world) {
      const name = await runningService(world, { target_instance_size: 2 });
      await startsReach(world, name, 2);

      await world.get("updateService", { name, body: { target_instance_size: 1 } });

      const after = await serviceThatIs(world, name, "Running");
      expect(after.target_instance_size).toBe(1);
      const still = async () => {
        const newest = await world.get("getServiceLogs", { name, query: { size: 5 } });
        return new Set(newest.map((line) => line.instance_name));
      };
      await world.until(still, (writers) => writers.size === 1);
      expect(total(await startsOf(world, name))).toBe(2);
      await answers(world, after);
    },
  },
  {
    operation: "updateService",
    title: "changes only what the body names",
    async run(world) {
      const containers = [{ ...world.workloads.web.container, resources: { limits: { memory: "512" } } }];
      const name = await idleService(world, { containers, binding_domain_name: world.domains("partial.example.com") });
      const before = await world.get("getService", { name });

      await world.get("updateService", { name, body: {} });
      expect(definitionOf(await serviceThatIs(world, name, "Running"))).toEqual(definitionOf(before));

      const domains = world.domains("a.example.org", "b.example.org");
      await world.get("updateService", { name, body: { binding_domain_name: domains } });
      const bound = { ...before, binding_domain_name: domains };
      expect(definitionOf(await serviceThatIs(world, name, "Running"))).toEqual(definitionOf(bound));

      const body = { containers: [{ resources: { limits: { memory: 1024 } } }] };
      await world.get("updateService", { name, body });
      const after = await serviceThatIs(world, name, "Running");
      expect(memoryOf(after)).toBe("1024");
      expect({ ...definitionOf(after), containers: definitionOf(before).containers }).toEqual(definitionOf(bound));

      await world.get("updateService", { name, body: { binding_domain_name: [] } });
      expect(await serviceThatIs(world, name, "Running")).toMatchObject({ binding_domain_name: [] });
    },
  },
  {
    operation: "updateService",
    title: "takes memory under resources and resource, by position and by name, in each spelling",
    async run(world) {
      const name = await idleService(world);
      const { containers } = await world.get("getService", { name });
      const container = String(containers?.[0]?.name);
      const spellings: readonly [change: object, memory: string][] = [
        [{ resources: { limits: { memory: 256 } } }, "256"],
        [{ resource: { limits: { memory: 512 } } }, "512"],
        [{ resources: { limits: { memory: "1024" } } }, "1024"],
        [{ resource: { limits: { memory: "2048Mi" } } }, "2048"],
        [{ resource: { limits: { memory: "1Gi" } } }, "1024"],
        // Beyond the API's document, as a creation takes them.
        [{ resources: { limits: { memory: 300 } } }, "300"],
        [{ resources: { limits: { memory: "1.5Gi" } } }, "1536"],
        [{ resource: { limits: { memory: 256 } }, resources: { limits: { memory: "256Mi" } } }, "256"],
        [{ name: container, resources: { limits: { memory: 512 } } }, "512"],
      ];
      for (const [change, memory] of spellings) {
        await world.get("updateService", { name, body: { containers: [change] } });

        const after = await serviceThatIs(world, name, "Running");
        expect({ change, memory: memoryOf(after) }).toEqual({ change, memory });
      }
    },
  },
  {
    operation: "updateService",
    title: "starts each instance anew with another memory limit, or changes it while they run",
    needsPods: true,
    async run(world) {
      const name = await runningService(world, { target_instance_size: 2 });
      await startsReach(world, name, 2);

      await world.get("updateService", { name, body: { containers: [{ resources: { limits: { memory: 512 } } }] } });

      const starts = world.resizes ? await startsOf(world, name) : await startsReach(world, name, 4);
      expect(Object.keys(starts).length).toBeGreaterThanOrEqual(2);
      await serviceThatIs(world, name, "Running");
      expect(world.resizes ? [2, 4] : [4]).toContain(total(await startsOf(world, name)));
    },
  },
  {
    operation: "updateService",
    title: "answers 400 for what cannot be updated to, and changes nothing",
    async run(world) {
      const name = await idleService(world);
      const before = await world.get("getService", { name });
      const memory = (memory: unknown) => ({ containers: [{ resources: { limits: { memory } } }] });
      const fine = { resources: { limits: { memory: 512 } } };
      const wrong: readonly [names: string, body: object][] = [
        ["containers[0].resources.limits.memory", memory(0)],
        ["containers[0].resources.limits.memory", memory("2Ti")],
        ["containers[0].resources.limits.memory", memory("512mb")],
        ["containers[0].resources.limits.memory", memory("1e9Ti")],
        ["containers[0].resources.limits.memory", memory(-512)],
        ["containers[0].resources.limits.memory", memory(512.5)],
        ["containers[0].resource.limits.memory", { containers: [{ resource: { limits: { memory: "0" } } }] }],
        ["containers", { containers: {} }],
        ["containers[1]", { containers: [fine, fine] }],
        ["containers[0]", { containers: [{ name: "nowhere", ...fine }], target_instance_size: 7 }],
        [
          "containers[0] has resource and resources with different values",
          { containers: [{ ...fine, resource: { limits: {} } }] },
        ],
        [
          "containers[0] has resource and resources with different values",
          { containers: [{ ...fine, resource: { limits: { memory: 1024 } } }] },
        ],
        ["containers has web twice", { containers: [fine, fine].map((change) => ({ ...change, name: "web" })) }],
        ["containers must have at most 10", { containers: Array.from({ length: 11 }, () => fine) }],
        ["containers[0].name", { containers: [{ ...fine, name: "x".repeat(254) }] }],
        ["containers[0].resourses isn't", { containers: [{ resourses: fine.resources }] }],
        ["did you mean target_instance_size?", { target_instance_sise: 3 }],
        ["volumes isn't a property", { volumes: [] }],
        ["target_instance_size must be at most 1000", { target_instance_size: 1_001 }],
        ["target_instance_size must be at most 1000", { target_instance_size: 10_000_000_000 }],
        ["target_instance_size", { target_instance_size: -1 }],
        ["target_instance_size", { target_instance_size: "2" }],
        ["binding_domain_name", { binding_domain_name: "shop.example.com" }],
        ["binding_domain_name[0]", { binding_domain_name: ["not a domain"] }],
        ["binding_domain_name has a.example twice", { binding_domain_name: ["a.example", "A.Example"] }],
        ["binding_domain_name must have at most 200", { binding_domain_name: manyDomains }],
      ];
      for (const [names, body] of wrong.filter(([, each]) => canSend(world, each))) {
        const reply = await world.ask("updateService", { name, body });

        expectRefusal(reply, { status: 400, naming: names, of: body });
      }
      expect(definitionOf(await world.get("getService", { name }))).toEqual(definitionOf(before));
    },
  },
  {
    operation: "updateService",
    title: "answers 409 for a domain that another service has, and changes nothing",
    async run(world) {
      if (world.knows.domains === false) return await refusesDomains(world);
      await idleService(world, { binding_domain_name: ["other.example.com"] });
      const name = await idleService(world);
      const before = await world.get("getService", { name });
      const body = { target_instance_size: 5, binding_domain_name: ["mine.example.com", "other.example.com"] };

      const reply = await world.ask("updateService", { name, body });

      expectRefusal(reply, { status: 409, naming: "other.example.com" });
      expect(definitionOf(await world.get("getService", { name }))).toEqual(definitionOf(before));
    },
  },
  {
    operation: "updateService",
    title: "changes the size and the memory of what still starts",
    needsPods: true,
    async run(world) {
      const name = world.newName("web");
      await world.get("createService", { name, body: webBody(world) });

      await world.get("updateService", { name, body: { target_instance_size: 2 } });
      await world.get("updateService", { name, body: { containers: [{ resources: { limits: { memory: 512 } } }] } });

      const after = await serviceThatIs(world, name, "Running");
      expect(after.target_instance_size).toBe(2);
      expect(memoryOf(after)).toBe("512");
      await answers(world, after);
    },
  },
  {
    operation: "updateService",
    title: "of a stopped service changes what is remembered; it stays stopped until it is started",
    needsPods: true,
    async run(world) {
      const name = await stoppedService(world);
      const before = total(await startsOf(world, name));

      await world.get("updateService", { name, body: { target_instance_size: 2 } });
      expect(await world.get("getService", { name })).toMatchObject({ status: "Stopped", target_instance_size: 2 });
      expect(total(await startsOf(world, name))).toBe(before);

      await world.get("startService", { name });
      await serviceThatIs(world, name, "Running");
      expect(total(await startsReach(world, name, before + 2))).toBe(before + 2);
    },
  },
  {
    operation: "updateService",
    title: "touches nobody else's service",
    async run(world) {
      const name = await idleService(world);

      const reply = await world.ask("updateService", { name, user: world.user2, body: { target_instance_size: 1 } });

      expect(reply).toMatchObject({ status: 404 });
      expect(await world.get("getService", { name })).toMatchObject({ target_instance_size: 0 });
    },
  },
];

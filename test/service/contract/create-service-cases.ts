import { expect } from "vitest";
import type { ContractCase } from "./contract.ts";
import { canSend, refusesDomains } from "./refused-domains.ts";
import { expectRefusal } from "./refusal.ts";
import {
  definitionOf,
  answers,
  idleService,
  runningService,
  serviceThatIs,
  startsReach,
  urlOf,
  webBody,
} from "./web-service.ts";
import { missingImage, wrongBodies } from "./wrong-bodies.ts";
import { wrongDomains, wrongServices } from "./wrong-services.ts";

const address = expect.stringMatching(/^\S+:\d+$/);

export const createServiceCases: readonly ContractCase[] = [
  {
    operation: "createService",
    title: "answers the service as it was asked for, without status and identity, and gives it an address",
    async run(world) {
      const { workloads, newName, get } = world;
      const name = newName("web");
      const body = webBody(world, {
        target_instance_size: 2,
        // Read-only, because an engine may let only one instance write to a disk.
        volumes: [{ name: "data", disk_name: "disk-1", is_read_only: true }],
        binding_domain_name: world.domains("created.example.com"),
      });

      const created = await get("createService", { name, body });

      expect(created).toMatchObject({
        name,
        target_instance_size: 2,
        containers: [{ ...workloads.web.container, ports: [{ port: workloads.web.port, protocol: "TCP" }] }],
        port_mappings: [{ service_url: address, container_port: workloads.web.port, protocol: "tcp" }],
        volumes: [{ name: "data", disk_name: "disk-1", fsType: expect.any(String), is_read_only: true }],
        default_domain_name: address,
        binding_domain_name: world.domains("created.example.com"),
      });
      expect(Object.keys(created)).not.toEqual(expect.arrayContaining(["status"]));
      expect(Object.keys(created)).not.toEqual(expect.arrayContaining(["uid"]));
      expect(Object.keys(created)).not.toEqual(expect.arrayContaining(["created_at"]));
      expect(urlOf(await get("getService", { name }))).toBe(urlOf(created));
    },
  },
  {
    operation: "createService",
    title: "starts as many instances as were asked for, one without a number, and they answer at the address",
    needsPods: true,
    async run(world) {
      const one = await runningService(world);
      const two = await runningService(world, { target_instance_size: 2 });

      expect(Object.keys(await startsReach(world, one, 1))).toHaveLength(1);
      expect(Object.keys(await startsReach(world, two, 2))).toHaveLength(2);
      const service = await world.get("getService", { name: two });
      await answers(world, service);
      expect(await world.get("getService", { name: one })).toMatchObject({ target_instance_size: 1 });
    },
  },
  {
    operation: "createService",
    title: "gives each service another address",
    async run(world) {
      const names = [await idleService(world), await idleService(world)];

      const urls = await Promise.all(names.map(async (name) => urlOf(await world.get("getService", { name }))));

      expect(new Set(urls).size).toBe(2);
    },
  },
  {
    operation: "createService",
    title: "answers 409 for a name that exists and leaves that service as it is",
    async run(world) {
      const name = await idleService(world);
      const before = await world.get("getService", { name });

      const reply = await world.ask("createService", { name, body: webBody(world, { target_instance_size: 3 }) });

      expectRefusal(reply, { status: 409, naming: name });
      expect(definitionOf(await world.get("getService", { name }))).toEqual(definitionOf(before));
    },
  },
  {
    operation: "createService",
    title: "lets exactly one of many at once have the name",
    async run(world) {
      const name = world.newName("race");
      const body = webBody(world, { target_instance_size: 0 });

      const replies = await Promise.all(Array.from({ length: 8 }, () => world.ask("createService", { name, body })));

      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(replies.filter(({ status }) => status === 409)).toHaveLength(7);
      const { services } = await world.get("listServices");
      expect(services.filter((service) => service.name === name)).toHaveLength(1);
    },
  },
  {
    operation: "createService",
    title: "answers 409 for a domain that another service has, of whichever user",
    async run(world) {
      if (world.knows.domains === false) return await refusesDomains(world);
      const binding_domain_name = ["taken.example.com"];
      await idleService(world, { binding_domain_name });
      const name = world.newName("late");
      const body = webBody(world, { target_instance_size: 0, binding_domain_name });

      const replies = [
        await world.ask("createService", { name, body }),
        await world.ask("createService", { name, body, user: world.user2 }),
      ];

      for (const reply of replies) {
        expectRefusal(reply, { status: 409, naming: "taken.example.com" });
      }
      expect(await world.ask("getService", { name })).toMatchObject({ status: 404 });
    },
  },
  {
    operation: "createService",
    title: "reads memory in each of its spellings and answers a number in a string",
    async run(world) {
      const spellings: readonly [memory: string | number, mib: string][] = [
        [512, "512"],
        ["512", "512"],
        ["512Mi", "512"],
        ["1Gi", "1024"],
        ["1.5Gi", "1536"],
        ["1048576Ki", "1024"],
        ["536870912B", "512"],
        ["1Ti", "1048576"],
        // 488.28 MiB: never less than what was asked for.
        ["512M", "489"],
        ["1k", "1"],
      ];
      for (const [memory, mib] of spellings) {
        const containers = [{ ...world.workloads.web.container, resources: { limits: { memory } } }];
        const name = await idleService(world, { containers });

        const service = await world.get("getService", { name });

        expect({ memory, service }).toMatchObject({
          memory,
          service: { containers: [{ resources: { limits: { memory: mib } } }] },
        });
      }
    },
  },
  {
    operation: "createService",
    title: "keeps domains in lower case, so that another spelling of one is the same domain",
    async run(world) {
      if (world.knows.domains === false) return await refusesDomains(world);
      const name = await idleService(world, { binding_domain_name: ["Case.Example.COM", "*.wild.example.com"] });
      const other = { containers: [world.workloads.web.container], binding_domain_name: ["case.example.com"] };
      const reply = await world.ask("createService", { name: world.newName("late"), body: other });

      expectRefusal(reply, { status: 409, naming: "case.example.com" });
      const { binding_domain_name: domains } = await world.get("getService", { name });
      expect(domains).toEqual(["case.example.com", "*.wild.example.com"]);
    },
  },
  {
    operation: "createService",
    title: "takes a body with as much of everything as the contract allows",
    async run(world) {
      const many = <T>(count: number, item: (index: number) => T) => Array.from({ length: count }, (_, at) => item(at));
      const container = {
        ...world.workloads.web.container,
        env: many(200, (at) => ({ name: `V${at}`, value: "x" })),
        ports: many(10, (at) => ({ port: 8_000 + at })),
        volumeMounts: many(50, (at) => ({ name: `volume-${at}`, mountPath: `/data/${at}` })),
      };
      const body = {
        target_instance_size: 0,
        containers: many(10, () => container),
        volumes: many(50, (at) => ({ name: `volume-${at}`, disk_name: `disk-${at}` })),
        binding_domain_name: world.domains(...many(200, (at) => `d${at}.full.example.com`)),
      };
      const name = world.newName("full");

      await world.get("createService", { name, body });

      expect((await world.get("getService", { name })).containers).toHaveLength(10);
    },
  },
  {
    operation: "createService",
    title: "answers 400 with the field for a body of another form, and creates nothing",
    async run(world) {
      const { container } = world.workloads.web;
      const containers = [container];
      const name = world.newName("wrong");
      const wrong = [
        ...wrongBodies(container),
        { names: "target_instance_size", body: { containers, target_instance_size: -1 } },
        { names: "target_instance_size", body: { containers, target_instance_size: 1.5 } },
        { names: "target_instance_size", body: { containers, target_instance_size: "2" } },
        { names: "port_mappings[0].container_port", body: { containers, port_mappings: [{ container_port: 70_000 }] } },
        { names: "volumes[0].disk_name", body: { containers, volumes: [{ name: "data" }] } },
        { names: "binding_domain_name[0]", body: { containers, binding_domain_name: [""] } },
        { names: "binding_domain_name[1]", body: { containers, binding_domain_name: ["a.example", "a".repeat(254)] } },
        ...wrongDomains.map((domain) => ({
          names: "binding_domain_name[0]",
          body: { containers, binding_domain_name: [domain] },
        })),
        ...wrongServices.map(({ names, body }) => ({ names, body: { containers, ...body } })),
      ];
      for (const { names, body } of wrong.filter(({ body: each }) => canSend(world, each))) {
        const reply = await world.ask("createService", { name, body });

        expectRefusal(reply, { status: 400, naming: names, of: body });
      }
      expect(await world.ask("getService", { name })).toMatchObject({ status: 404 });
    },
  },
  {
    operation: "createService",
    title: "refuses an image that isn't there, or says that the service waits for its sake",
    needsPods: true,
    async run(world) {
      const name = world.newName("no-image");
      const body = { containers: [{ ...world.workloads.web.container, image: missingImage }] };

      const reply = await world.ask("createService", { name, body });

      if (world.knows.images) {
        expectRefusal(reply, { status: 400, naming: "image" });
        expect(await world.ask("getService", { name })).toMatchObject({ status: 404 });
        return;
      }
      expect(reply.status).toBe(200);
      await world.until(
        () => world.get("getService", { name }),
        ({ message = "" }) => message.includes(missingImage),
      );
      await world.get("deleteService", { name });
    },
  },
  {
    operation: "createService",
    title: "is Starting at first, then Running",
    needsPods: true,
    async run(world) {
      const name = world.newName("web");
      await world.get("createService", { name, body: webBody(world) });

      const { status } = await world.get("getService", { name });

      expect(status).toBe("Starting");
      await serviceThatIs(world, name, "Running");
    },
  },
];

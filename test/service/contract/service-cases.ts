import { expect } from "vitest";
import type { ContractCase } from "./contract.ts";
import {
  definitionOf,
  idleService,
  logOf,
  runningService,
  serviceThatIs,
  startsReach,
  urlOf,
  webBody,
} from "./web-service.ts";

const text = expect.stringMatching(/./);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const address = expect.stringMatching(/^\S+:\d+$/);

export const serviceCases: readonly ContractCase[] = [
  {
    operation: "listServices",
    title: "is empty for a user without services, and names the region",
    async run({ get, newcomer, regions }) {
      for (const region of regions) {
        expect(await get("listServices", { user: newcomer, region })).toEqual({ region, services: [] });
      }
    },
  },
  {
    operation: "listServices",
    title: "shows a service as it is read alone, in its own region only",
    needsPods: true,
    async run(world) {
      const name = await runningService(world, {
        target_instance_size: 2,
        binding_domain_name: world.domains("list.example.com"),
      });
      const service = await world.get("getService", { name });

      const [here, there] = [
        await world.get("listServices", { region: world.regions[0] }),
        await world.get("listServices", { region: world.regions[1] }),
      ];

      const { region: _, revisions: __, rollout: ___, instance_names: ____, start_command: _____, ...listed } = service;
      expect(here.region).toBe(world.regions[0]);
      expect(here.services.filter((each) => each.name === name)).toMatchObject([{ ...listed, status: text }]);
      expect(there).toMatchObject({ region: world.regions[1] });
      expect(there.services.map((each) => each.name)).not.toContain(name);
    },
  },
  {
    operation: "listServices",
    title: "shows nobody else's services",
    async run(world) {
      const name = await idleService(world);

      const { services } = await world.get("listServices", { user: world.user2 });

      expect(services.map((each) => each.name)).not.toContain(name);
    },
  },
  {
    operation: "getService",
    title: "tells what the service is and what was asked for",
    async run(world) {
      const { container, port } = world.workloads.web;
      const more = {
        env: [{ name: "LOG_LEVEL", value: "info" }],
        ports: [{ port, protocol: "TCP" }],
        resources: { limits: { memory: "512" } },
        volumeMounts: [{ name: "data", mountPath: "/var/lib/data" }],
      };
      const name = await idleService(world, {
        containers: [{ ...container, ...more }],
        volumes: [{ name: "data", disk_name: "disk-2", is_read_only: false }],
        binding_domain_name: world.domains("read.example.com"),
      });

      const service = await world.get("getService", { name });

      expect(service).toMatchObject({
        region: world.regions[0],
        uid: text,
        name,
        created_at: time,
        status: text,
        target_instance_size: 0,
        port_mappings: [{ service_url: address, container_port: port, protocol: "tcp" }],
        volumes: [{ name: "data", disk_name: "disk-2", fsType: text, is_read_only: false }],
        default_domain_name: address,
        binding_domain_name: world.domains("read.example.com"),
      });
      expect(service.containers).toMatchObject([
        {
          ...container,
          ...more,
          name: text,
          ports: [{ container_port: port, protocol: "TCP" }],
          imagePullPolicy: text,
        },
      ]);
      expect(Math.abs(Date.now() - Date.parse(String(service.created_at)))).toBeLessThan(600_000);
    },
  },
  {
    operation: "getService",
    title: "tells whether the service is starting, running or stopped",
    needsPods: true,
    async run(world) {
      const name = world.newName("web");
      const { default_domain_name: address } = await world.get("createService", { name, body: webBody(world) });

      const first = await world.get("getService", { name });
      const running = await serviceThatIs(world, name, "Running");
      await world.get("stopService", { name });
      const stopped = await serviceThatIs(world, name, "Stopped");

      expect(first.status).toBe("Starting");
      expect(definitionOf(stopped)).toEqual(definitionOf(running));
      expect(stopped.default_domain_name).toBe(address);
    },
  },
  {
    operation: "getService",
    title: "tells since when it is what it is, and how many instances are ready",
    needsPods: true,
    async run(world) {
      const name = await runningService(world, { target_instance_size: 2 });

      const running = await world.get("getService", { name });
      await world.get("stopService", { name });
      const stopped = await serviceThatIs(world, name, "Stopped");

      expect(running).toMatchObject({ status_since: time, ready_instances: 2, restarts: { count: 0 } });
      expect(stopped).toMatchObject({ status_since: time, ready_instances: 0, restarts: { count: 0 } });
      expect([running.instance_names?.length, stopped.instance_names]).toEqual([2, []]);
      expect(Date.parse(stopped.status_since ?? "")).toBeGreaterThanOrEqual(Date.parse(running.status_since ?? ""));
    },
  },
  {
    operation: "getService",
    title: "counts the restarts of a service that crashes, and says how it ended last",
    needsPods: true,
    async run(world) {
      const name = world.newName("crashing");
      await world.get("createService", { name, body: { containers: [world.workloads.crashing] } });

      const crashed = await world.until(
        () => world.get("getService", { name }),
        ({ restarts }) => (restarts?.count ?? 0) >= 3,
      );
      await world.get("deleteService", { name });

      expect(crashed.restarts).toMatchObject({
        ...(world.knows.history && { first_at: time }),
        last_at: time,
        last_reason: expect.stringMatching(new RegExp(`^${name}-\\S+ exited with code 3$`)),
      });
      expect(crashed.ready_instances).toBeLessThanOrEqual(1);
    },
  },
  {
    operation: "getService",
    title: "counts no restart that somebody requested",
    needsPods: true,
    async run(world) {
      const name = await runningService(world);
      await world.get("restartService", { name });
      await startsReach(world, name, 2);

      const service = await serviceThatIs(world, name, "Running");

      expect(service.restarts).toEqual({ count: 0 });
    },
  },
  {
    operation: "getService",
    title: "knows no service of another region, and nobody else's; two users may each have one of the same name",
    async run(world) {
      const name = await idleService(world);
      const elsewhere = [
        await world.ask("getService", { name, region: world.regions[1] }),
        await world.ask("getService", { name, user: world.user2 }),
      ];
      expect(elsewhere.map(({ status }) => status)).toEqual([404, 404]);

      await world.get("createService", { name, user: world.user2, body: webBody(world, { target_instance_size: 0 }) });

      const uids = [
        await world.get("getService", { name }),
        await world.get("getService", { name, user: world.user2 }),
      ].map(({ uid }) => uid);
      expect(new Set(uids).size).toBe(2);
    },
  },
  {
    operation: "deleteService",
    title: "answers in plain text that the service is gone, or that it still stops; then nobody answers at its address",
    needsPods: true,
    async run(world) {
      const name = await runningService(world);
      const url = urlOf(await world.get("getService", { name }));

      const reply = await world.ask("deleteService", { name });

      const { status: now } = await world.ask("getService", { name });
      expect(reply.status).toBe(200);
      expect(reply.text).toMatch(/^Service (?:was deleted successfully$|is being deleted: )/u);
      if (reply.text === "Service was deleted successfully") expect(now).toBe(404);
      expect(reply.headers.get("content-type")).toMatch(/^text\/plain/);
      await world.until(
        () => world.ask("getService", { name }),
        ({ status }) => status === 404,
      );
      const { services } = await world.get("listServices");
      expect(services.map((each) => each.name)).not.toContain(name);
      expect(await world.ask("deleteService", { name })).toMatchObject({ status: 404 });
      await expect(world.reach(url)).rejects.toThrow(Error);
    },
  },
  {
    operation: "deleteService",
    title: "frees the name and the domains: a new service of that name is another one, with a log of its own",
    needsPods: true,
    async run(world) {
      const binding = { binding_domain_name: world.domains("freed.example.com") };
      const name = await runningService(world, binding);
      const before = await world.get("getService", { name });
      await startsReach(world, name, 1);

      await world.get("deleteService", { name });
      await world.until(
        () => world.ask("createService", { name, body: webBody(world, { ...binding, target_instance_size: 0 }) }),
        ({ status }) => status === 200,
      );

      expect((await serviceThatIs(world, name, "Running")).uid).not.toBe(before.uid);
      expect(await logOf(world, name)).toEqual([]);
    },
  },
  {
    operation: "deleteService",
    title: "touches nobody else's service",
    async run(world) {
      const name = await idleService(world);

      expect(await world.ask("deleteService", { name, user: world.user2 })).toMatchObject({ status: 404 });

      expect(await world.get("getService", { name })).toMatchObject({ status: "Running" });
    },
  },
];

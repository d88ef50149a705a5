import { expect, test } from "vitest";
import { refusingIncapable, features, type Limit, type Engine } from "../../src/service/engine.ts";
import { memoryEngine } from "./support/memory-engine.ts";
import { openEngine } from "./engines/process/support/engine-world.ts";
import { makeDataDir } from "./engines/process/support/data-dir.ts";

const { signal } = new AbortController();
const user = { username: "dana" };
const where = { region: "us", service_name: "web" };

/** An engine without any of the features, and what it began. */
function limited(effect: Limit["effect"]): { readonly engine: Engine; readonly begun: string[] } {
  const { engine, close } = memoryEngine();
  void close();
  const begun: string[] = [];
  const noting = new Proxy(engine, {
    get: (target, op: keyof Engine) => {
      if (!op.startsWith("create") && !op.startsWith("update")) return target[op];
      return async () => void begun.push(op);
    },
  });
  const why = "nothing here does it";
  const cannot = Object.keys(features).map((feature) => ({ feature, effect, why }) as Limit); // its own keys
  return { engine: refusingIncapable(noting, { title: "Toy", cannotIn: () => cannot }), begun };
}

const refusals = [
  ["domains", { binding_domain_name: ["shop.example.com"] }, "binding_domain_name (custom domains)"],
  ["port mappings", { port_mappings: [{ container_port: 80 }] }, "port_mappings (ports reachable from outside)"],
  ["a disk", { volumes: [{ name: "data", disk_name: "d" }] }, "volumes[0].disk_name (new disks)"],
  ["the time zone", { sync_timezone: true }, "sync_timezone (the host's time zone)"],
] as const;

test.each(refusals)("a service that asks for %s is refused before anything is begun", async (_, body, field) => {
  const { engine, begun } = limited("refused");

  const asked = engine.createService({
    user,
    signal,
    path: where,
    query: undefined,
    body: { containers: [{ image: "nginx" }], ...structuredClone(body) } as never, // a body of the contract
  });

  await expect(asked).rejects.toMatchObject({
    status: 400,
    message: `the Toy engine can't honour ${field} in us: nothing here does it. Nothing was changed.`,
  });
  expect(begun).toEqual([]);
});

test("a mount is named with its container", async () => {
  const { engine } = limited("refused");
  const containers = [{ image: "a" }, { image: "b", volumeMounts: [{ name: "data", mountPath: "/data" }] }];

  const asked = engine.createService({ user, signal, path: where, query: undefined, body: { containers } });

  await expect(asked).rejects.toThrow("containers[1].volumeMounts[0].mountPath (mount paths)");
});

test("a job that asks for a volume or a pull, and an update that asks for a domain, are refused", async () => {
  const { engine, begun } = limited("refused");
  const path = { region: "us", job_name: "nightly" };
  const job = (body: object) =>
    engine.createJob({ user, signal, path, query: undefined, body: { containers: [{ image: "a" }], ...body } });

  await expect(job({ volumes: [{ name: "data" }] })).rejects.toThrow("volumes (volumes of jobs) in us");
  await expect(job({ containers: [{ image: "a", pull_always: true }] })).rejects.toThrow("containers[0].pull_always");
  const body = { binding_domain_name: ["shop.example.com"] };
  const update = engine.updateService({ user, signal, path: where, query: undefined, body });
  await expect(update).rejects.toThrow("binding_domain_name (custom domains)");
  expect(begun).toEqual([]);
});

test("a body that asks for nothing special, or unbinds its domains, is passed on", async () => {
  const { engine, begun } = limited("refused");
  const body = { containers: [{ image: "nginx" }], sync_timezone: false, binding_domain_name: [], volumes: [] };

  await engine.createService({ user, signal, path: where, query: undefined, body });
  await engine.updateService({ user, signal, path: where, query: undefined, body: { binding_domain_name: [] } });

  expect(begun).toEqual(["createService", "updateService"]);
});

test("what is only kept, or differs in part, is not refused", async () => {
  for (const effect of ["kept", "partly"] as const) {
    const { engine, begun } = limited(effect);
    const body = { containers: [{ image: "nginx" }], sync_timezone: true, binding_domain_name: ["shop.example.com"] };

    await engine.createService({ user, signal, path: where, query: undefined, body });

    expect(begun).toEqual(["createService"]);
  }
});

test("the process engine names itself, its regions, and what it accepts without effect", async () => {
  const { about, close } = await openEngine(makeDataDir());

  const { name, title, regions, images } = about();
  await close();

  expect(images).toEqual(["gantry/hello-web", "gantry/worker", "gantry/flaky", "gantry/batch"]);

  expect({
    name,
    title,
    regions: regions.map(({ name: region, services, jobs }) => ({ region, services, jobs })),
  }).toMatchInlineSnapshot(`
    {
      "name": "process",
      "regions": [
        {
          "jobs": true,
          "region": "us",
          "services": true,
        },
        {
          "jobs": false,
          "region": "beijing1",
          "services": true,
        },
      ],
      "title": "Node processes",
    }
  `);
  expect(regions[0]?.cannot.map(({ feature, effect }) => `${feature} ${effect}`)).toMatchInlineSnapshot(`
    [
      "images partly",
      "pullAlways kept",
      "memory partly",
      "mountPaths kept",
      "ports partly",
      "domains kept",
      "readOnlyDisks kept",
      "timezone partly",
    ]
  `);
  expect(regions[0]?.version).toMatch(/^v\d+/u);
});

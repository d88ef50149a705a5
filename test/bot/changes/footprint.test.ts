import { describe, expect, test } from "vitest";
import type { Call } from "../../../src/api/operations.ts";
import type { Change } from "../../../src/bot/changes/change.ts";
import { footprintOf } from "../../../src/bot/changes/footprint.ts";
import { actionOf, serviceSnapshot, Snapshot } from "../../../src/bot/changes/updatable-fields.ts";
import type { WriteOperationId } from "../../../src/bot/policy/operation-facts.ts";
import { service } from "../views/support/workloads.ts";

const path = { region: "beijing1", service_name: "web" };
const limits = (memory: string) => ({ resources: { limits: { memory } } });
const web = { name: "web", image: "shop/web:1.4", ...limits("512") };
const proxy = { name: "proxy", image: "shop/proxy:7", ...limits("256") };

function after(call: Pick<Call<WriteOperationId>, "op" | "body">, fields: Parameters<typeof service>[1] = {}) {
  const before = serviceSnapshot(service("web", { containers: [web, proxy], target_instance_size: 3, ...fields }));
  return footprintOf({ call: { ...call, path, query: undefined } as Change["call"], before }); // a call of its operation
}

const update = (body: Call<"updateService">["body"]) => ({ op: "updateService", body }) as const; // a literal word

describe("what runs after a change", () => {
  test("is what was asked for, and of everything else what is there", () => {
    const both = [
      { image: "shop/web:1.4", memoryMiB: 512 },
      { image: "shop/proxy:7", memoryMiB: 256 },
    ];

    expect(after(update({ target_instance_size: 30 }))).toEqual({ containers: both, instances: 30, grownFrom: 3 });
    expect(after(update({ containers: [{}, limits("1024")] })).containers?.[1]?.memoryMiB).toBe(1024);
    expect(after(update({ containers: [{}, { image: "evil/proxy:1" }] })).containers).toEqual([
      both[0],
      { image: "evil/proxy:1", memoryMiB: 256 },
    ]);
    expect(after({ op: "restartService", body: undefined })).toEqual({ containers: both, instances: 3 });
  });

  test("is the same once the state before it was stored", () => {
    const before = serviceSnapshot(
      service("web", {
        init_containers: [{ name: "migrate", image: "shop/migrate:1", ...limits("64") }],
        sidecars: [{ name: "mesh", image: "mesh:1" }],
        instance_memory: "1024",
      }),
    );

    expect(Snapshot.parse(JSON.parse(JSON.stringify(before)))).toMatchObject({
      init: [{ memoryMiB: 64, init: "ends" }, { init: "runs on" }],
      instanceMiB: 1024,
    });
  });

  test("isn't known where the workload API doesn't report it", () => {
    const deployed = update({ containers: [{ image: "shop/web:1.5" }] });

    expect(after(deployed, { containers: undefined }).containers).toBeUndefined();
    expect(
      after(update({ target_instance_size: 2 }), { containers: [web, { name: "proxy" }] }).containers?.[1],
    ).toEqual({
      image: undefined,
      memoryMiB: undefined,
    });
    expect(after(deployed, { target_instance_size: undefined }).instances).toBeUndefined();
  });

  test("isn't what runs now, after a way back to a revision", () => {
    expect(after(update({ revision: 2 }))).toEqual({ containers: undefined, instances: 3 });
  });

  test("isn't none after a start, where a stopped service is reported as one of no instances", () => {
    expect(after({ op: "startService", body: undefined }, { target_instance_size: 0 }).instances).toBeUndefined();
  });
});

test("an update of an image and a way back are deploys, other updates aren't", () => {
  const named = (body: Call<"updateService">["body"]) => actionOf({ ...update(body), path, query: undefined });

  expect(named({ containers: [{}, { image: "shop/proxy:8" }] })).toBe("deploy");
  expect(named({ revision: 3 })).toBe("deploy");
  expect(named({ containers: [limits("1024")] })).toBe("updateService");
  expect(named({ target_instance_size: 0 })).toBe("updateService");
});

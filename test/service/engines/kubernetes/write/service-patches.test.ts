import { describe, expect, test } from "vitest";
import { kinds } from "../../../../../src/service/engines/kubernetes/cluster/kinds.ts";
import { findService } from "../../../../../src/service/engines/kubernetes/read/services.ts";
import {
  restartPatch,
  startPatch,
  stopPatch,
  updatePatch,
} from "../../../../../src/service/engines/kubernetes/write/service-patches.ts";
import { regionWith } from "../support/known-objects.ts";
import { deployment } from "../support/sent-objects.ts";

const running = kinds.Deployment.schema.parse(deployment("web"));
const bare = kinds.Deployment.schema.parse(deployment("web", { metadata: { annotations: {} } }));
/** The client didn't say who asks. */
const nobody = { "gantry/changed-by": null };
const dana = { "gantry/changed-by": "U1" };
const now = new Date("2026-11-22T12:30:00Z");
const stopped = {
  metadata: { annotations: { "gantry/size": "3" } },
  spec: { replicas: 0 },
};

function found(changed: Parameters<typeof deployment>[1] = {}) {
  const region = { ...regionWith([deployment("web", changed)]) };
  const service = findService(region, { namespaces: ["team"], username: "dana", now, name: "web" });
  if (!service) throw new Error("web isn't there");
  return service;
}

describe("stop and start", () => {
  test("a stop remembers the size, and fails if the size isn't the one that was judged", () => {
    expect(stopPatch(running, now, nobody)).toEqual({
      type: "json",
      operations: [
        { op: "test", path: "/metadata/uid", value: running.metadata.uid },
        { op: "test", path: "/spec/replicas", value: 2 },
        { op: "add", path: "/metadata/annotations/gantry~1size", value: "2" },
        { op: "add", path: "/metadata/annotations/gantry~1stopped-at", value: "2026-11-22T12:30:00.000Z" },
        { op: "replace", path: "/spec/replicas", value: 0 },
      ],
    });
  });

  test("an object without annotations gets all of them at once, and only if nobody else wrote some", () => {
    expect(stopPatch(bare, now, dana)).toEqual({
      type: "json",
      operations: [
        { op: "test", path: "/metadata/uid", value: bare.metadata.uid },
        { op: "test", path: "/spec/replicas", value: 2 },
        { op: "test", path: "/metadata/resourceVersion", value: "7" },
        {
          op: "add",
          path: "/metadata/annotations",
          value: {
            "gantry/changed-by": "U1",
            "gantry/size": "2",
            "gantry/stopped-at": "2026-11-22T12:30:00.000Z",
          },
        },
        { op: "replace", path: "/spec/replicas", value: 0 },
      ],
    });
  });

  test("a start goes back to that size and forgets it", () => {
    const object = kinds.Deployment.schema.parse(deployment("web", stopped));

    expect(startPatch(object, 3, nobody)).toMatchObject({
      operations: [
        { op: "test", path: "/metadata/uid" },
        { op: "test", path: "/spec/replicas", value: 0 },
        { op: "remove", path: "/metadata/annotations/gantry~1size" },
        { op: "replace", path: "/spec/replicas", value: 3 },
      ],
    });
  });

  test("a start of a service that has no instances marks it as meant so", () => {
    const object = kinds.Deployment.schema.parse(deployment("web", stopped));

    expect(startPatch(object, 0, nobody)).toMatchObject({
      operations: expect.arrayContaining([{ op: "add", path: "/metadata/annotations/gantry~1idle", value: "true" }]),
    });
  });
});

describe("restart", () => {
  test("writes the time, and another one if the last restart has the same", () => {
    const now = new Date("2026-11-22T12:30:00.123Z");
    const first = restartPatch(running, now, dana);
    const podSpec = {};
    const again = kinds.Deployment.schema.parse(deployment("web", { podSpec }));
    const restarted = {
      ...again,
      spec: {
        ...again.spec,
        template: {
          ...again.spec.template,
          metadata: {
            labels: {},
            annotations: { "kubectl.kubernetes.io/restartedAt": "2026-11-22T12:30:00.123Z" },
          },
        },
      },
    };

    expect(JSON.stringify(first)).toContain("2026-11-22T12:30:00.123Z");
    expect(JSON.stringify(restartPatch(restarted, now, dana))).toContain("2026-11-22T12:30:00.124Z");
  });
});

describe("update", () => {
  test("changes size and memory in one patch, containers by name, whatever the version is by now", () => {
    const service = found();
    const { definition } = service.service;
    const containers = definition.containers.map((container) => ({ ...container, memoryMib: 512 }));

    expect(updatePatch(service, { ...definition, size: 3, containers }, { notes: dana })).toEqual({
      type: "strategic",
      body: {
        metadata: {
          uid: running.metadata.uid,
          annotations: {
            "gantry/changed-by": "U1",
          },
        },
        spec: {
          replicas: 3,
          template: { spec: { containers: [{ name: "app", resources: { limits: { memory: "512Mi" } } }] } },
        },
      },
    });
  });

  test("of a stopped service changes only the remembered size", () => {
    const service = found(stopped);

    expect(updatePatch(service, { ...service.service.definition, size: 5 }, { notes: nobody })).toMatchObject({
      body: { metadata: { annotations: { "gantry/size": "5" } }, spec: {} },
    });
  });
});

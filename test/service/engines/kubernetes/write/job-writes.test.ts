import { expect, test } from "vitest";
import { jobManifest } from "../../../../../src/service/engines/kubernetes/write/job-writes.ts";
import { readJob } from "../../../../../src/service/workloads/definitions.ts";

test("a Job retries in place, pulls when asked to, and finds its volumes and the local time on the node", () => {
  const body = {
    containers: [{ image: "shop/report:1", pull_always: true, volumeMounts: [{ name: "out", mountPath: "/out" }] }],
    volumes: [{ name: "out", type: "host" as const }],
    sync_timezone: true,
  };
  const definition = readJob("nightly", body, () => undefined);

  const manifest = jobManifest({
    name: "nightly",
    namespace: "team",
    definition,
    settings: { defaults: {}, isRestricted: false },
    request: "r1",
    retries: 6,
    hostPath: "/srv/gantry",
  });

  const labels = {
    "app.kubernetes.io/managed-by": "gantry",
    "app.kubernetes.io/name": "nightly",
    "gantry/job": "nightly",
  };
  const zone = { mountPath: "/etc/localtime", name: "nightly-time-zone", readOnly: true };
  expect(manifest).toEqual({
    metadata: {
      name: "nightly",
      labels,
      annotations: {
        "gantry/remembered": '{"volumes":[{"podVolume":"out","name":"out"}],"syncTimezone":true}',
        "gantry/request": "r1",
      },
    },
    spec: {
      backoffLimit: 6,
      completions: 1,
      parallelism: 1,
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          restartPolicy: "OnFailure",
          containers: [
            {
              name: "nightly",
              image: "shop/report:1",
              imagePullPolicy: "Always",
              ports: [],
              volumeMounts: [{ mountPath: "/out", name: "out" }, zone],
            },
          ],
          volumes: [
            { name: "out", hostPath: { path: "/srv/gantry/team/out", type: "DirectoryOrCreate" } },
            { name: "nightly-time-zone", hostPath: { path: "/etc/localtime" } },
          ],
        },
      },
    },
  });
});

import { expect, test } from "vitest";
import { timeZoneVolume, writeRemembered } from "../../../../../src/service/engines/kubernetes/read/containers.ts";
import { deployment, job } from "../support/sent-objects.ts";
import { jobsOf, servicesOf } from "../support/read-service.ts";

const zone = timeZoneVolume("web");
const podSpec = {
  containers: [
    {
      name: "web",
      image: "shop/web:1",
      command: ["echo", "$$(HOME)"],
      env: [{ name: "PRICE", value: "$$(5)" }],
      volumeMounts: [
        { name: "my-data-1f", mountPath: "/data" },
        { name: zone.name, mountPath: "/etc/localtime", readOnly: true },
      ],
    },
  ],
  volumes: [{ name: "my-data-1f", persistentVolumeClaim: { claimName: "disk-2a" } }, zone],
};
const remembered = writeRemembered({
  volumes: [{ podVolume: "my-data-1f", name: "My.Data", disk: { name: "Disk_A", claim: "disk-2a" } }],
  syncTimezone: true,
});
const metadata = { annotations: { "gantry/remembered": remembered } };

test("a service has the volume and disk names of its request, and its words as they were sent", () => {
  expect(servicesOf([deployment("web", { metadata, podSpec })])).toMatchObject([
    {
      containers: [
        {
          command: ["echo", "$(HOME)"],
          env: [{ name: "PRICE", value: "$(5)" }],
          volumeMounts: [{ name: "My.Data", mountPath: "/data" }],
        },
      ],
      volumes: [{ name: "My.Data", disk_name: "Disk_A", is_read_only: false }],
    },
  ]);
});

test("a claim that somebody replaced shows, whatever is remembered", () => {
  const volumes = [{ name: "my-data-1f", persistentVolumeClaim: { claimName: "another", readOnly: true } }];

  expect(servicesOf([deployment("web", { metadata, podSpec: { ...podSpec, volumes } })])).toMatchObject([
    { volumes: [{ name: "My.Data", disk_name: "another", is_read_only: true }] },
  ]);
});

test.each(["", "{", "[]", '{"volumes":7}'])("a damaged annotation, %j, hides nothing of the object", (text) => {
  const annotations = { "gantry/remembered": text };

  expect(servicesOf([deployment("web", { metadata: { annotations }, podSpec })])).toMatchObject([
    { containers: [{ image: "shop/web:1" }], volumes: [{ name: "my-data-1f", disk_name: "disk-2a" }] },
  ]);
});

test("a job has the volumes of its request with their paths, and the time zone's as the API promises it", () => {
  const volumes = [{ name: "my-data-1f", hostPath: { path: "/srv/volumes/team/my-data-1f" } }, zone];
  const labels = { "app.kubernetes.io/managed-by": "gantry", "gantry/job": "web" };
  const [read] = jobsOf([job("web", { metadata: { ...metadata, labels }, podSpec: { ...podSpec, volumes } })]);

  expect(read?.spec?.template?.spec).toMatchObject({
    volumes: [
      { name: "My.Data", hostPath: { path: "/srv/volumes/team/my-data-1f" } },
      { name: "web-time-zone", hostPath: { path: "/etc/localtime" } },
    ],
    containers: [
      {
        volumeMounts: [
          { name: "My.Data", mountPath: "/data" },
          { name: "web-time-zone", mountPath: "/etc/localtime", readOnly: true },
        ],
      },
    ],
    restartPolicy: "OnFailure",
  });
});

import { expect, test } from "vitest";
import { deployment, object, statefulSet, v1Service } from "../support/sent-objects.ts";
import { foundServices, servicesOf } from "../support/read-service.ts";

test("a Deployment that somebody else made has its containers, command, variables, memory, disks and mounts", () => {
  const podSpec = {
    containers: [
      {
        name: "app",
        image: "shop/web:2",
        command: ["node"],
        args: ["server.js", "--verbose"],
        env: [
          { name: "LOG_LEVEL", value: "info" },
          { name: "TOKEN", valueFrom: { secretKeyRef: { name: "shop", key: "token" } } },
        ],
        ports: [{ name: "http", containerPort: 8080 }],
        resources: { limits: { cpu: "500m", memory: "129e6" }, requests: { memory: "1Gi" } },
        volumeMounts: [{ name: "data", mountPath: "/data" }],
        imagePullPolicy: "Always",
      },
      { name: "proxy", image: "shop/proxy:1", resources: { limits: { memory: "1Gi" } } },
    ],
    volumes: [{ name: "data", persistentVolumeClaim: { claimName: "shop-disk", readOnly: true } }, { name: "tmp" }],
  };

  expect(servicesOf([deployment("web", { podSpec })])).toMatchObject([
    {
      name: "web",
      region: "us",
      uid: "uid of Deployment web",
      created_at: "2026-11-22T12:00:00Z",
      target_instance_size: 2,
      containers: [
        {
          name: "app",
          image: "shop/web:2",
          command: ["node", "server.js", "--verbose"],
          env: [{ name: "LOG_LEVEL", value: "info" }, { name: "TOKEN" }],
          ports: [{ container_port: 8080, protocol: "TCP" }],
          resources: { limits: { memory: "124" } },
          volumeMounts: [{ name: "data", mountPath: "/data" }],
          imagePullPolicy: "Always",
        },
        { name: "proxy", image: "shop/proxy:1", resources: { limits: { memory: "1024" } } },
      ],
      volumes: [{ name: "data", disk_name: "shop-disk", is_read_only: true }],
    },
  ]);
});

test("a secret is never told, whether it is a value from a Secret or the whole of one", () => {
  const env = [{ name: "TOKEN", valueFrom: { secretKeyRef: { name: "shop", key: "token" } } }];
  const containers = [{ name: "app", env, envFrom: [{ secretRef: { name: "all-of-shop" } }] }];

  const [service] = servicesOf([deployment("web", { podSpec: { containers } })]);

  expect(service?.containers?.[0]?.env).toEqual([{ name: "TOKEN" }]);
  expect(JSON.stringify(service)).not.toContain("shop");
});

test("a name that only Kubernetes allows is kept", () => {
  const name = `shop.web.${"a".repeat(60)}`;

  expect(servicesOf([deployment(name)])).toMatchObject([{ name }]);
});

test("a Deployment and a StatefulSet of the same name are both listed, each under a name of its own", () => {
  const services = foundServices([statefulSet("db"), deployment("db"), statefulSet("queue")]);

  expect(services.map(({ service, source }) => [service.name, source.kind])).toEqual([
    ["db", "Deployment"],
    ["db.statefulset", "StatefulSet"],
    ["queue", "StatefulSet"],
  ]);
});

test("a stopped service has the size to which a start returns, 1 if somebody else stopped it", () => {
  const spec = { replicas: 0 };
  const sent = [
    deployment("by-gantry", { spec, metadata: { annotations: { "gantry/size": "3" } } }),
    deployment("with-none", { spec, metadata: { annotations: { "gantry/size": "0" } } }),
    deployment("by-hand", { spec }),
    deployment("damaged", { spec, metadata: { annotations: { "gantry/size": "many" } } }),
  ];

  expect(servicesOf(sent).map(({ name, target_instance_size }) => [name, target_instance_size])).toEqual([
    ["by-gantry", 3],
    ["by-hand", 1],
    ["damaged", 1],
    ["with-none", 0],
  ]);
});

const owners = [
  ["Helm release shop", { annotations: { "meta.helm.sh/release-name": "shop" } }],
  ["Helm release shop", { labels: { "app.kubernetes.io/managed-by": "Helm", "app.kubernetes.io/instance": "shop" } }],
  ["Helm", { labels: { "app.kubernetes.io/managed-by": "Helm" } }],
  ["Argo CD application shop", { labels: { "argocd.argoproj.io/instance": "shop" } }],
  [
    "Argo CD application shop",
    {
      labels: { "app.kubernetes.io/managed-by": "Helm" },
      annotations: { "argocd.argoproj.io/tracking-id": "shop:apps/Deployment:team/web" },
    },
  ],
  ["Flux Kustomization shop", { labels: { "kustomize.toolkit.fluxcd.io/name": "shop" } }],
  [
    "Flux HelmRelease shop",
    {
      labels: { "helm.toolkit.fluxcd.io/name": "shop", "app.kubernetes.io/managed-by": "Helm" },
      annotations: { "meta.helm.sh/release-name": "team-shop" },
    },
  ],
  ["Kafka orders", { ownerReferences: [{ kind: "Kafka", name: "orders", uid: "k", controller: true }] }],
  [undefined, { ownerReferences: [{ kind: "ConfigMap", name: "orders", uid: "k" }] }],
  [undefined, { labels: { "app.kubernetes.io/managed-by": "kustomize" } }],
] as const;

test.each(owners)("%s is named as the owner", (words, metadata) => {
  const [found] = foundServices([deployment("web", { metadata })]);

  expect(found?.isAdopted).toBe(true);
  expect(found?.owner?.words).toBe(words);
});

test("an autoscaler is known by what it targets", () => {
  const scaling = (name: string, kind: string) =>
    object("HorizontalPodAutoscaler", name, { spec: { scaleTargetRef: { kind, name: "web" } } });

  const [service] = foundServices([
    deployment("web"),
    scaling("of-web", "Deployment"),
    scaling("of-other", "StatefulSet"),
  ]);

  expect(service?.autoscaler?.words).toBe("autoscaler of-web");
});

const labelled = (name: string, labels: Record<string, string>) => deployment(name, { metadata: { labels } });
const team = [
  labelled("cart", { tier: "web", env: "live" }),
  labelled("shop", { tier: "web", env: "test" }),
  labelled("mail", { tier: "jobs", env: "live", internal: "" }),
  labelled("own", { "app.kubernetes.io/managed-by": "gantry", "gantry/service": "own" }),
  labelled("copy-of-own", { "app.kubernetes.io/managed-by": "gantry", "gantry/service": "own" }),
];

const adopted = [
  ["none", []],
  ["all", ["cart", "copy-of-own", "mail", "shop"]],
  ["tier=web", ["cart", "shop"]],
  ["tier == web, env!=test", ["cart"]],
  ["tier in (web, jobs),!internal", ["cart", "shop"]],
  ["env,tier notin (web)", ["mail"]],
  ["internal=", ["mail"]],
] as const;

test.each(adopted)("with adopt %j, these exist besides Gantry's own: %j", (workloads, expected) => {
  const found = foundServices(team, { adopt: { workloads, allow: [] } });

  expect(found.filter(({ isAdopted }) => isAdopted).map(({ service }) => service.name)).toEqual(expected);
  expect(found.filter(({ isAdopted }) => !isAdopted).map(({ service }) => service.name)).toEqual(["own"]);
});

test("a selector that isn't one is an error, not a namespace without workloads", () => {
  const adopt = { workloads: "tier in web", allow: [] };

  expect(() => foundServices(team, { adopt })).toThrow('"tier in web" is no label selector');
});

test("a service without v1 Services has no address", () => {
  const [service] = servicesOf([deployment("web"), v1Service("other", { ports: [{ port: 80 }] })]);

  expect(service).toMatchObject({ port_mappings: [] });
  expect(service).not.toHaveProperty("default_domain_name");
});

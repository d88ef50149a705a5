import { homedir } from "node:os";
import { expect, test } from "vitest";
import { ClustersError, readClusters } from "../../../../../src/service/engines/kubernetes/config/read-clusters.ts";

const one = ["gantry"];

function problems(text: string, users: readonly string[] = one): readonly string[] {
  try {
    readClusters(text, { path: "/etc/gantry/clusters.yaml", users });
    return [];
  } catch (error) {
    if (error instanceof ClustersError) return error.problems;
    throw error;
  }
}

const whole = `
regions:
  us:
    kubeconfig: us.kubeconfig
    context: us-prod
    namespace: gantry-{user}
    domains: { by: ingress, class: nginx }
    ports: { by: node-port, host: 10.0.0.5 }
    disks: { storageClass: fast, size: 10Gi, claims: [shop-data] }
    hostPath: /srv/gantry
    jobs: true
    adopt: { workloads: team=shop, allow: [memory] }
    defaults: { requests: { cpu: 0.1, memory: 64Mi }, limits: { cpu: 500m }, securityContext: { runAsUser: 1000 } }
    rollouts: { progressDeadlineSeconds: 900, preStopSeconds: 0 }
    podSecurity: restricted
  beijing1:
    kubeconfig: in-cluster
    namespaces: { dana: team-dana, alex: team-alex }
    domains: { by: gateway, gateway: public, namespace: infra }
    ports: load-balancer
    adopt: all
    logs: { by: loki, url: "https://loki.example.com/", tenant: shop }
  home:
    kubeconfig: ~/.kube/config
    namespace: shared
    namespaces: { alex: alex-only }
`;

test("a file with every setting is read, in its order", () => {
  const clusters = readClusters(whole, { path: "/etc/gantry/clusters.yaml", users: ["dana", "alex"] });

  expect(clusters.map((cluster) => ({ ...cluster, namespacesOf: "checked below" }))).toEqual([
    {
      region: "us",
      namespacesOf: "checked below",
      kubeconfig: { path: "/etc/gantry/us.kubeconfig" },
      context: "us-prod",
      domains: { by: "ingress", class: "nginx" },
      ports: { by: "node-port", host: "10.0.0.5" },
      disks: { storageClass: "fast", size: "10Gi" },
      claims: ["shop-data"],
      hostPath: "/srv/gantry",
      jobs: true,
      adopt: { workloads: "team=shop", allow: ["memory"] },
      defaults: {
        requests: { cpu: "0.1", memory: "64Mi" },
        limits: { cpu: "500m" },
        securityContext: { runAsUser: 1000 },
      },
      rollouts: { progressDeadlineSeconds: 900, preStopSeconds: 0 },
      podSecurity: "restricted",
    },
    {
      region: "beijing1",
      namespacesOf: "checked below",
      kubeconfig: "in-cluster",
      context: undefined,
      domains: { by: "gateway", gateway: "public", namespace: "infra" },
      ports: { by: "load-balancer" },
      disks: undefined,
      hostPath: undefined,
      jobs: false,
      adopt: { workloads: "all", allow: [] },
      podSecurity: "auto",
      logs: {
        loki: { url: "https://loki.example.com", tenant: "shop", labels: { namespace: "namespace", pod: "pod" } },
      },
    },
    {
      region: "home",
      namespacesOf: "checked below",
      kubeconfig: { path: `${homedir()}/.kube/config` },
      context: undefined,
      domains: { by: "none" },
      ports: { by: "cluster" },
      disks: undefined,
      hostPath: undefined,
      jobs: false,
      adopt: { workloads: "none", allow: [] },
      podSecurity: "auto",
    },
  ]);
  const first = clusters.map(({ namespacesOf }) => ["dana", "alex", "kim"].map((user) => namespacesOf(user)?.names));
  expect(first.map((all) => all.map((names) => names?.join()))).toEqual([
    ["gantry-dana", "gantry-alex", "gantry-kim"],
    ["team-dana", "team-alex", undefined],
    ["shared", "alex-only", "shared"],
  ]);
});

/** One region with jobs, and these lines in it. */
const region = (...lines: string[]): string =>
  ["regions:", "  us:", "    jobs: true", ...lines.map((line) => `    ${line}`)].join("\n");

test.each<[string, string, string]>([
  ["an empty file", "", "The file must have the key regions."],
  ["no YAML", "regions: [", "It isn't valid YAML"],
  ["a region twice", "regions:\n  us: {}\n  us: {}\n", "It isn't valid YAML: Map keys must be unique."],
  ["no region", "regions: {}", "regions has no region: add one, like us."],
  ["a key that isn't known", "regoins: {}", "regoins is no setting. Did you mean regions? Known here: regions."],
  [
    "a setting inside a setting",
    region("namespace: a", "disks: { storageclass: x, size: 1Gi }"),
    "Did you mean storageClass?",
  ],
  [
    "a region without settings",
    "regions:\n  us:\n",
    "regions.us must have settings, at least namespace or namespaces.",
  ],
  [
    "a region name with a dot",
    "regions:\n  us.east: { namespace: a, jobs: true }",
    "regions.us.east is no region name",
  ],
  ["no namespace", region(), "regions.us has no namespace: write namespace: gantry-{user}, or namespaces"],
  [
    "jobs that aren't yes or no",
    "regions:\n  us: { namespace: a, jobs: maybe }",
    "regions.us.jobs must be true or false.",
  ],
  [
    "no region with jobs",
    "regions:\n  us: { namespace: a }\n  eu: { namespace: b }",
    "No region runs jobs: write jobs: true in regions.us, or in another one.",
  ],
  [
    "a secret that isn't there",
    region("namespace: a", 'logs: { by: loki, url: "http://l", authorizationFile: none }'),
    "logs.authorizationFile can't be read: ENOENT",
  ],
  [
    "namespaces that are neither a list nor of users",
    region("namespaces: shop"),
    "regions.us.namespaces must be a list like [shop, payments], or users with their namespaces like {dana: team-dana, alex: [a, b]}.",
  ],
  [
    "an empty list of namespaces",
    region("namespaces: []"),
    "regions.us.namespaces must be a list like [shop, payments]",
  ],
  [
    "one namespace and a list",
    region("namespace: a", "namespaces: [b]"),
    "regions.us has namespace and a list of namespaces: write one of them. The first of a list takes new workloads.",
  ],
  ["a namespace twice", region("namespaces: [a, b, a]"), "regions.us gives the user gantry the namespace a twice"],
  [
    "more namespaces than are watched",
    region(`namespaces: [${Array.from({ length: 51 }, (_, at) => `n${at}`).join()}]`),
    "regions.us gives the user gantry 51 namespaces: 50 are the most.",
  ],
  ["labels alone", region("namespaceLabels: team=shop"), "regions.us has no namespace: write namespace"],
  [
    "a securityContext that restricted forbids",
    region("namespace: a", "podSecurity: restricted", "defaults: { securityContext: { runAsUser: 0 } }"),
    "regions.us.defaults.securityContext.runAsUser breaks podSecurity: restricted. Correct one of them.",
  ],
  [
    "a namespace that can't be",
    region("namespace: Shop_1"),
    "gives the user gantry the namespace Shop_1, which Kubernetes doesn't allow",
  ],
])("%s is said with its place and what to write", (_, text, sentence) => {
  expect(problems(text).join("\n")).toContain(sentence);
});

test.each([
  ["a setting with a slip", "hostpath: /srv", "hostpath is no setting. Did you mean hostPath?"],
  ["domains by nothing known", "domains: magic", "domains must be none, {by: ingress"],
  ["a gateway without its name", "domains: gateway", "domains.gateway must be the name of a Gateway."],
  ["a class for a gateway", "domains: { by: gateway, gateway: g, class: c }", "domains.class is no setting."],
  ["node ports without a host", "ports: node-port", "ports.host must be the address of a node, like 10.0.0.5."],
  ["a size that is none", "disks: { storageClass: fast, size: big }", "disks.size must be a size like 10Gi."],
  [
    "a storage class without a size",
    "disks: { storageClass: fast }",
    "disks must have both storageClass and size, or neither.",
  ],
  [
    "claims that are no list",
    "disks: { claims: shop-data }",
    "disks.claims must be a list of claims, like [shop-data].",
  ],
  ["a folder that isn't absolute", "hostPath: data", "hostPath must be a folder of the nodes, like /srv/gantry."],
  [
    "a permission that isn't known",
    "adopt: { workloads: all, allow: [everything] }",
    "adopt.allow.0 must be delete, memory or image.",
  ],
  [
    "a selector that is none",
    "adopt: team shop",
    'adopt.workloads must be none, all or a label selector: "team shop" is no label selector',
  ],
  ["logs from elsewhere", "logs: elastic", "logs must be live or {by: loki, url: URL}."],
  ["Loki without an address", "logs: loki", "logs.url must be the URL of Loki, without /loki/api/v1."],
  [
    "labels that are no selector",
    "namespaceLabels: team shop",
    'namespaceLabels must be a label selector: "team shop" is no label selector',
  ],
  [
    "a CPU that is none",
    "defaults: { requests: { cpu: 100M } }",
    "defaults.requests.cpu must be CPUs, like 500m or 0.5.",
  ],
  ["no CPU at all", "defaults: { limits: { cpu: 0 } }", "defaults.limits.cpu must be CPUs, like 500m or 0.5."],
  [
    "memory without its unit, which would be bytes",
    "defaults: { limits: { memory: 512 } }",
    "defaults.limits.memory must be a size with its unit, like 128Mi.",
  ],
  [
    "a request above its limit",
    "defaults: { requests: { cpu: 1 }, limits: { cpu: 500m } }",
    "defaults.requests.cpu must not be more than its limit: Kubernetes refuses that.",
  ],
  [
    "another request above its limit",
    "defaults: { requests: { memory: 1G }, limits: { memory: 512Mi } }",
    "defaults.requests.memory must not be more than its limit: Kubernetes refuses that.",
  ],
  [
    "a securityContext with a slip",
    "defaults: { securityContext: { runAsUsr: 1 } }",
    "defaults.securityContext.runAsUsr is no setting. Did you mean runAsUser?",
  ],
  [
    "a deadline that isn't a number of seconds",
    "rollouts: { progressDeadlineSeconds: 2m }",
    "rollouts.progressDeadlineSeconds must be seconds from 10 to 86400: a rollout without progress for so long is stuck.",
  ],
  [
    "pods that serve for longer than Kubernetes lets them",
    "rollouts: { preStopSeconds: 30 }",
    "rollouts.preStopSeconds must be seconds from 0 to 20: so long a pod serves after it was told to end.",
  ],
  ["a podSecurity that isn't known", "podSecurity: baseline", "podSecurity must be auto, restricted or none."],
])("of a region, %s is said with its place and what to write", (_, setting, sentence) => {
  expect(problems(region("namespace: a", setting)).join("\n")).toContain(`regions.us.${sentence}`);
});

test("a region can have several namespaces: a list, a list for a user, and those with labels", () => {
  const text = [
    "regions:",
    "  us: { namespaces: [shop, 'pay-{user}'], jobs: true }",
    "  eu: { namespaces: { dana: [a, b], labels: c } }",
    "  asia: { namespace: 'own-{user}', namespaceLabels: 'owner={user}' }",
  ].join("\n");
  const users = ["dana", "labels"];
  const of = (user: string, text: string) =>
    readClusters(text, { path: "/etc/c.yaml", users: [user] }).map(({ namespacesOf }) => namespacesOf(user));

  expect(of("dana", text)).toEqual([
    { names: ["shop", "pay-dana"] },
    { names: ["a", "b"] },
    { names: ["own-dana"], labels: "owner=dana" },
  ]);
  // Of a user with this name, not of labels.
  expect(of("labels", text)[1]).toEqual({ names: ["c"] });
  expect(problems(text, users)).toEqual([
    "regions.us gives the users dana and labels the same namespace shop. Use {user} in namespace, like gantry-{user}, or " +
      "write namespaces with one for each user.",
  ]);
  const shared = "regions:\n  us: { namespace: 'a-{user}', namespaceLabels: team=shop, jobs: true }";
  expect(problems(shared, users)).toEqual([
    "regions.us gives the users dana and labels the same namespaces, those with team=shop. " +
      "Use {user} in namespaceLabels, like owner={user}.",
  ]);
});

test("two users never share a namespace, and all problems are said at once", () => {
  const text = "regions:\n  us: { namespace: shop, jobs: true }\n  eu: { namespaces: { dana: a, alex: a } }";

  expect(problems(text, ["dana", "alex"])).toEqual([
    "regions.us gives the users dana and alex the same namespace shop. Use {user} in namespace, like gantry-{user}, or " +
      "write namespaces with one for each user.",
    "regions.eu gives the users dana and alex the same namespace a. Use {user} in namespace, like gantry-{user}, or " +
      "write namespaces with one for each user.",
  ]);
  expect(() => readClusters(text, { path: "/etc/c.yaml", users: ["dana", "alex"] })).toThrow(
    "Nothing was started. Correct /etc/c.yaml:\n- regions.us gives",
  );
});

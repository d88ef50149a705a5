import { setTimeout as sleep } from "node:timers/promises";
import type { TestCluster } from "../../support/cluster.ts";

export type Filling = { readonly namespace: string; readonly services: number; readonly pods: number };

const AT_ONCE = 20;

/**
 * Makes Deployments as a team would have them, and pods that belong to them. Deployments are paused, so the cluster makes
 * no pods itself, and no scheduler takes the pods: what is read doesn't change during a measurement.
 */
export async function fillNamespace(cluster: TestCluster, filling: Filling): Promise<void> {
  const { namespace, services, pods } = filling;
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const make = (path: string, body: object) => cluster.must({ method: "POST", path, body });
  await inTurn(services, (n) => make(deployments, deployment(n)));
  await inTurn(pods, (n) => make(`/api/v1/namespaces/${namespace}/pods`, pod(n, n % services)));
  const deadline = performance.now() + LONGEST_MS;
  while (!(await hasStatus(cluster, deployments))) {
    if (performance.now() > deadline) throw new Error("the cluster didn't write the status of all Deployments");
    await sleep(5_000);
  }
}

/** The controller of Deployments writes some 20 a second. */
const LONGEST_MS = 10 * 60_000;

async function hasStatus(cluster: TestCluster, deployments: string): Promise<boolean> {
  const all = await cluster.listed(deployments);
  return all.every(({ status }) => typeof status === "object" && status !== null && "observedGeneration" in status);
}

async function inTurn(count: number, make: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await make(next - 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function labelsOf(n: number) {
  return { "app.kubernetes.io/name": `shop-${n}`, "app.kubernetes.io/part-of": "shop", team: `team-${n % 20}` };
}

export function deployment(n: number) {
  const labels = labelsOf(n);
  const annotations = { "example.com/contact": "shop-on-call", "example.com/changed": "2026-11-20T09:30:00Z" };
  const template = { metadata: { labels }, spec: { containers: [container()] } };
  const spec = { replicas: 1, paused: true, selector: { matchLabels: labels }, template };
  return { metadata: { name: `shop-${n}`, labels, annotations }, spec };
}

export function pod(n: number, service: number) {
  const metadata = { name: `shop-${service}-${n}`, labels: labelsOf(service) };
  return { metadata, spec: { schedulerName: "none", containers: [container()] } };
}

function container() {
  const env = Array.from({ length: 10 }, (_, n) => ({ name: `SETTING_${n}`, value: `value of the setting ${n}` }));
  const probe = { httpGet: { path: "/healthz", port: 8080 }, periodSeconds: 10 };
  const resources = { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } };
  const image = "registry.example.com/shop/web:1.42.0";
  return {
    name: "main",
    image,
    env,
    ports: [{ containerPort: 8080 }],
    resources,
    livenessProbe: probe,
    readinessProbe: probe,
  };
}

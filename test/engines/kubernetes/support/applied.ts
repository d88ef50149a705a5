import { shell, ticking } from "../../../support/container-script.ts";
import type { TestCluster } from "../../../support/cluster.ts";

// Workloads as a team has them: applied with kubectl, by Helm, by a schedule. Gantry did not create them.

type Made = { readonly namespace: string; readonly name: string };

/** A Deployment of a hand-written file. */
export async function applyDeployment(
  { must, image }: TestCluster,
  { namespace, name, more = {} }: Made & { readonly more?: object },
): Promise<void> {
  const labels = { app: name };
  const containers = [{ name: "main", image, command: shell(ticking) }];
  await must({
    method: "POST",
    path: `/apis/apps/v1/namespaces/${namespace}/deployments`,
    body: {
      metadata: { name, labels, ...more },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    },
  });
}

/** As `helm install` labels what it applies. */
export const byHelm = (release: string) => ({
  labels: { app: release, "app.kubernetes.io/managed-by": "Helm" },
  annotations: { "meta.helm.sh/release-name": release, "meta.helm.sh/release-namespace": "default" },
});

/** A DaemonSet: the test cluster has one node. */
export async function applyDaemonSet({ must, image }: TestCluster, { namespace, name }: Made): Promise<void> {
  const labels = { app: name };
  const containers = [{ name: "main", image, command: shell(ticking) }];
  const template = { metadata: { labels }, spec: { containers, terminationGracePeriodSeconds: 1 } };
  await must({
    method: "POST",
    path: `/apis/apps/v1/namespaces/${namespace}/daemonsets`,
    body: { metadata: { name, labels }, spec: { selector: { matchLabels: labels }, template } },
  });
}

/** As `kubectl run` makes it. */
export async function applyPod({ must, image }: TestCluster, { namespace, name }: Made): Promise<void> {
  const containers = [{ name: "main", image, command: shell(ticking) }];
  const body = { metadata: { name }, spec: { containers, terminationGracePeriodSeconds: 1 } };
  await must({ method: "POST", path: `/api/v1/namespaces/${namespace}/pods`, body });
}

/** A CronJob whose job is done at once. */
export async function applyCronJob(
  { call, must, image }: TestCluster,
  { namespace, name, schedule = "* * * * *" }: Made & { readonly schedule?: string },
): Promise<void> {
  const containers = [{ name: "main", image, command: ["sh", "-c", "echo backed up 7 tables"] }];
  const job = { spec: { template: { spec: { containers, restartPolicy: "Never" } } } };
  const body = { metadata: { name }, spec: { schedule, jobTemplate: job } };
  const place = (version: string) => `/apis/batch/${version}/namespaces/${namespace}/cronjobs`;
  // v1 since Kubernetes 1.21, v1beta1 until 1.24.
  const { status } = await call({ method: "GET", path: place("v1") });
  await must({ method: "POST", path: place(status === 404 ? "v1beta1" : "v1"), body });
}

/** A StatefulSet, as databases run in. */
export async function applyStatefulSet({ must, image }: TestCluster, { namespace, name }: Made): Promise<void> {
  const labels = { app: name };
  const containers = [{ name: "main", image, command: shell(ticking) }];
  const template = { metadata: { labels }, spec: { containers, terminationGracePeriodSeconds: 1 } };
  await must({
    method: "POST",
    path: `/apis/apps/v1/namespaces/${namespace}/statefulsets`,
    body: {
      metadata: { name, labels },
      spec: { replicas: 1, serviceName: name, selector: { matchLabels: labels }, template },
    },
  });
}

/** As `kubectl scale` by somebody else; any size that it doesn't have. */
export async function scaleStatefulSet({ must }: TestCluster, { namespace, name }: Made): Promise<void> {
  await must({
    method: "PATCH",
    path: `/apis/apps/v1/namespaces/${namespace}/statefulsets/${name}`,
    contentType: "application/merge-patch+json",
    body: { spec: { replicas: 1 } },
  });
}

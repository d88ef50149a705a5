import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { accounts } from "../../../service/contract/served.ts";

type Settings = {
  readonly kubeconfig: string;
  /** The namespace of dana in the region `us`. */
  readonly namespace: string;
};

/** The environment of `npm run service` on a cluster, as an operator writes it. */
export type ServiceSettings = { readonly env: Readonly<Record<string, string>>; readonly remove: () => void };

export function serviceSettings({ kubeconfig, namespace }: Settings): ServiceSettings {
  const folder = mkdtempSync(join(tmpdir(), "gantry-kube-service-"));
  const clusters = join(folder, "clusters.yaml");
  const domains = { by: "ingress" };
  const us = { kubeconfig, namespaces: { dana: namespace }, domains, jobs: true };
  writeFileSync(clusters, stringify({ regions: { us } }));
  return {
    env: {
      SERVICE_ENGINE: "kubernetes",
      SERVICE_CLUSTERS: clusters,
      SERVICE_USERS: `${accounts.user1.username}:${accounts.user1.token}`,
      GANTRY_DATA: join(folder, "data"),
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

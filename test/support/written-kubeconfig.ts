import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The path of a kubeconfig with one context, prod, in a new folder under `folder`. */
export function writtenKubeconfig(folder: string, server: string): string {
  const path = join(mkdtempSync(join(folder, "kube-")), "config");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "prod",
    clusters: [{ name: "c", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "u", user: { token: "secret-token-of-u" } }],
    contexts: [{ name: "prod", context: { cluster: "c", user: "u", namespace: "shop" } }],
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kubeConfigOf } from "../../../../src/service/engines/kubernetes/cluster/connect.ts";
import type { TestCluster } from "../../../support/cluster.ts";
import { type Right, ruleOf } from "./role.ts";
import { machineClock } from "../../../../src/platform/clock.ts";

/** A ServiceAccount with only these rights in the namespace. */
export type Account = { readonly kubeconfig: string; readonly remove: () => void };

export async function openAccount(
  { must, kubeconfig }: Pick<TestCluster, "must" | "kubeconfig">,
  namespace: string,
  rights: readonly Right[],
): Promise<Account> {
  const name = "gantry";
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const metadata = { name };
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name };
  const subjects = [{ kind: "ServiceAccount", name, namespace }];
  await must({ method: "POST", path: accounts, body: { metadata } });
  await must({ method: "POST", path: `${rbac}/roles`, body: { metadata, rules: rights.map(ruleOf) } });
  await must({ method: "POST", path: `${rbac}/rolebindings`, body: { metadata, roleRef, subjects } });
  const asked = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const { status } = await must({ method: "POST", path: `${accounts}/${name}/token`, body: asked });
  const { token } = status as { token: string }; // TokenRequest
  const cluster = (
    await kubeConfigOf({ kubeconfig: { path: kubeconfig }, context: undefined }, machineClock)
  ).getCurrentCluster();
  const folder = mkdtempSync(join(tmpdir(), "gantry-account-"));
  const path = join(folder, "kubeconfig");
  const own = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "test",
        cluster: {
          server: cluster?.server,
          "certificate-authority-data": cluster?.caData,
          "certificate-authority": cluster?.caFile,
          "insecure-skip-tls-verify": cluster?.skipTLSVerify,
        },
      },
    ],
    users: [{ name, user: { token } }],
    contexts: ["us", "beijing1"].map((context) => ({ name: context, context: { cluster: "test", user: name } })),
    "current-context": "us",
  };
  writeFileSync(path, JSON.stringify(own));
  return { kubeconfig: path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import type { ClusterConfig } from "../../../../src/service/engines/kubernetes/cluster/cluster-config.ts";
import { checkClusters } from "../../../../src/service/engines/kubernetes/config/check-clusters.ts";
import { rest } from "../../../support/container-script.ts";
import { because, testCluster } from "../../../support/cluster.ts";
import { card, says } from "../../../support/speak.ts";
import { realTimeClock } from "../../../support/test-clock.ts";
import { until } from "../../../support/until.ts";
import { type World, world } from "../../../support/world.ts";
import { approved, logShows } from "../../support/approved.ts";
import { openAccount } from "../rights/account.ts";
import { documentedRights, ruleOf } from "../rights/role.ts";
import { applyCronJob, applyDeployment } from "../support/applied.ts";
import { openTestEngine, type TestEngineOptions } from "../support/test-engine.ts";
import { machineClock } from "../../../../src/platform/clock.ts";

const cluster = await testCluster();
const { noPods, image, kubeconfig, listed, must, newNamespace, removeNamespaces } = cluster;

afterAll(removeNamespaces);

/** The bot on a region of two namespaces; jobs run in two others. */
async function townOfTwo() {
  const shop = await newNamespace("shop");
  const payments = await newNamespace("pay");
  const jobs = [await newNamespace("jobs"), await newNamespace("more")] as const;
  const town = await townWith({
    namespaces: { gantry: { beijing1: { names: [shop, payments] }, us: { names: jobs } } },
  });
  return { ...town, shop, payments, jobs };
}

async function townWith(options: Partial<TestEngineOptions>) {
  const opened = await openTestEngine({ kubeconfig, namespaces: { gantry: {} }, adopt: "all", ...options });
  const town = await world({ engine: opened.engine, clock: realTimeClock(), wait: pause });
  const close = async () => {
    await town.close();
    await opened.close();
  };
  return { ...town, close, [Symbol.asyncDispose]: close };
}

/** What is checked at the start. */
const settings: Omit<ClusterConfig, "kubeconfig" | "namespacesOf"> = {
  region: "beijing1",
  context: undefined,
  domains: { by: "none" },
  ports: { by: "cluster" },
  disks: undefined,
  hostPath: undefined,
  jobs: true,
  adopt: { workloads: "all", allow: [] },
};

const rights = documentedRights(resolve(import.meta.dirname, "../../../../docs/kubernetes-role.yaml"));

/** By the list: a name is another one until the second of its kind is there. */
const runs = (town: World, name: string) => async () =>
  (await town.services()).some((each) => each.name === name && each.status === "Running");

const replicasIn = async (namespace: string) => {
  const found = await listed(`/apis/apps/v1/namespaces/${namespace}/deployments`);
  return found.map(({ metadata, ...rest }) => `${metadata.name} ${(rest["spec"] as { replicas: number }).replicas}`); // a Deployment
};

describe.skipIf(noPods !== undefined)(`one region with two namespaces${because(noPods)}`, () => {
  test("both web are listed, scaled, restarted and read apart, and no request goes to the other", async () => {
    await using town = await townOfTwo();
    const { developer, shop, payments } = town;
    await applyDeployment(cluster, { namespace: shop, name: "web" });
    await town.until(runs(town, "web"));
    await applyDeployment(cluster, { namespace: payments, name: "web" });
    const [inShop, inPayments] = [`web.${shop}`, `web.${payments}`];
    await town.until(runs(town, inShop));
    await town.until(runs(town, inPayments));

    const list = await says(town, developer, "/gantry list");
    expect(list).toMatch(new RegExp(`🟢 .*${inShop}`, "u"));
    expect(list).toMatch(new RegExp(`🟢 .*${inPayments}`, "u"));
    expect(await says(town, developer, `/gantry show ${inPayments}`)).toContain(`namespace ${payments}`);
    const ambiguous = await says(town, developer, "/gantry scale web 2");
    expect(ambiguous).toContain(inShop);
    expect(ambiguous).toContain(inPayments);

    await says(town, developer, `/gantry scale ${inPayments} 2`);
    expect(card(developer)).toContain("nstances 1 → 2");
    // The card is there before the request has left.
    await town.until(async () => String(await replicasIn(payments)) === "web 2");
    await town.until(runs(town, inPayments));
    expect(await replicasIn(shop)).toEqual(["web 1"]);

    await approved(town, `/gantry restart ${inShop}`);
    const restarted = async (namespace: string) =>
      JSON.stringify(await listed(`/apis/apps/v1/namespaces/${namespace}/deployments`)).includes("restartedAt");
    await town.until(async () => {
      await town.sweep();
      return await restarted(shop);
    });
    expect(await restarted(payments)).toBe(false);
    await town.until(runs(town, inShop));

    await town.until(logShows(town, inPayments, /tick \S+ \d/u));

    const script = `"trap 'exit 0' TERM; ${rest}"`;
    await says(town, developer, `/gantry create service api --image ${image} --memory 512 -- sh -c ${script}`);
    await town.until(runs(town, "api"));
    expect((await replicasIn(shop)).toSorted()).toEqual(["api 1", "web 1"]);

    await must({ method: "DELETE", path: `/apis/apps/v1/namespaces/${payments}/deployments/web` });
    await town.until(async () => (await town.services()).some(({ name }) => name === "web"));
    expect(await says(town, developer, `/gantry restart ${inShop}`)).toContain(`${inShop} is named web now`);
  });

  test("a CronJob of the second namespace runs there, and its log is read", async () => {
    await using town = await townOfTwo();
    const { developer, jobs } = town;
    const schedule = "0 0 1 1 *";
    await applyCronJob(cluster, { namespace: jobs[0], name: "backup", schedule });
    await applyCronJob(cluster, { namespace: jobs[1], name: "backup", schedule });
    const name = `backup.${jobs[1]}`;
    await town.until(async () => (await says(town, developer, "/gantry list jobs")).includes(name));

    await says(town, developer, `/gantry run ${name}`);
    const done = async (namespace: string) =>
      (await listed(`/apis/batch/v1/namespaces/${namespace}/jobs`)).filter((each) =>
        JSON.stringify(each["status"]).includes('"succeeded":1'),
      ).length;
    await town.until(async () => (await done(jobs[1])) === 1);
    expect(await listed(`/apis/batch/v1/namespaces/${jobs[0]}/jobs`)).toEqual([]);
    await town.until(logShows(town, `job/${name}`, /backed up 7 tables/u));
  });

  test("namespaces with labels are followed with two rights on the cluster; without them the start names the right", async () => {
    const shop = await newNamespace("shop");
    const payments = await newNamespace("pay");
    const account = await openAccount(cluster, shop, rights);
    const own = { names: [shop] as const, labels: `team=${shop}` };
    const { kubeconfig } = account;
    const region = { ...settings, kubeconfig: { path: kubeconfig }, namespacesOf: () => own };
    const checked = () => checkClusters([region], ["gantry"], machineClock);
    await expect(checked()).rejects.toThrow(/cannot list resource "namespaces".*Give Gantry's account a ClusterRole/u);

    const subjects = [{ kind: "ServiceAccount", name: "gantry", namespace: shop }];
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: shop };
    const ofNamespaces = { apiGroups: [""], resources: ["namespaces"], verbs: ["list", "watch"] };
    const metadata = { name: shop };
    await must({ method: "POST", path: `${rbac}/clusterroles`, body: { metadata, rules: [ofNamespaces] } });
    await must({ method: "POST", path: `${rbac}/clusterrolebindings`, body: { metadata, roleRef, subjects } });
    try {
      await until(async () => checked().then(Boolean, () => false));
      await using town = await townWith({ kubeconfig, namespaces: { gantry: { beijing1: own } } });
      await applyDeployment(cluster, { namespace: payments, name: "ledger" });
      const label = (team: string | null) =>
        must({
          method: "PATCH",
          path: `/api/v1/namespaces/${payments}`,
          contentType: "application/merge-patch+json",
          body: { metadata: { labels: { team } } },
        });
      expect(await town.services()).toEqual([]);
      await label(shop);
      // Its Role is missing there.
      await town.until(async () =>
        (await says(town, town.developer, "/gantry list")).includes(`Namespace ${payments} isn't listed`),
      );
      const role = { metadata: { name: "gantry" }, rules: rights.map(ruleOf) };
      const bound = { ...roleRef, kind: "Role", name: "gantry" };
      await must({ method: "POST", path: `${rbac}/namespaces/${payments}/roles`, body: role });
      const binding = { metadata: { name: "gantry" }, roleRef: bound, subjects };
      await must({ method: "POST", path: `${rbac}/namespaces/${payments}/rolebindings`, body: binding });
      await town.until(runs(town, "ledger"));
      await label(null);
      await town.until(async () => (await town.services()).length === 0);
    } finally {
      await must({ method: "DELETE", path: `${rbac}/clusterrolebindings/${shop}` });
      await must({ method: "DELETE", path: `${rbac}/clusterroles/${shop}` });
      account.remove();
    }
  });
});

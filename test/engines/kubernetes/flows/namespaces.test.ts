import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { because, testCluster } from "../../../support/cluster.ts";
import { card, says } from "../../../support/speak.ts";
import { type World, world } from "../../../support/world.ts";
import { approved } from "../../support/approved.ts";
import { applyCronJob, applyDeployment } from "../support/applied.ts";
import { openTestEngine } from "../support/test-engine.ts";

const cluster = await testCluster();
const { noPods, image, kubeconfig, listed, must, newNamespace, removeNamespaces } = cluster;

afterAll(removeNamespaces);

/** The bot on a region of two namespaces; jobs run in two others. */
async function townOfTwo() {
  const shop = await newNamespace("shop");
  const payments = await newNamespace("pay");
  const jobs = [await newNamespace("jobs"), await newNamespace("more")] as const;
  const namespaces = { gantry: { beijing1: [shop, payments], us: jobs } } as const;
  const opened = await openTestEngine({ kubeconfig, namespaces, adopt: "all" });
  const town = await world({ engine: opened.engine, wait: pause });
  const close = async () => {
    await town.close();
    await opened.close();
  };
  return { ...town, shop, payments, jobs, close, [Symbol.asyncDispose]: close };
}

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
    await town.until(runs(town, inPayments));
    expect(await replicasIn(payments)).toEqual(["web 2"]);
    expect(await replicasIn(shop)).toEqual(["web 1"]);

    expect(await approved(town, `/gantry restart ${inShop}`)).toMatch(/restarted|restarting/u);
    await town.until(runs(town, inShop));
    const restarted = async (namespace: string) =>
      JSON.stringify(await listed(`/apis/apps/v1/namespaces/${namespace}/deployments`)).includes("restartedAt");
    expect([await restarted(shop), await restarted(payments)]).toEqual([true, false]);

    await says(town, developer, `/gantry logs ${inPayments}`);
    expect(town.thread("ops").join("\n")).toMatch(/tick \d/u);

    const script = `"trap 'exit 0' TERM; while :; do sleep 0.2; done"`;
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
    await says(town, developer, `/gantry logs job/${name}`);
    expect(town.thread("ops").join("\n")).toContain("backed up 7 tables");
  });
});

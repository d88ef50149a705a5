import { afterAll, describe, expect, test } from "vitest";
import { because, testCluster } from "../../../support/cluster.ts";
import { card, says } from "../../../support/speak.ts";
import { applyCronJob, applyDaemonSet, applyDeployment, applyPod, byHelm } from "../support/applied.ts";
import { approved, isRunning, logShows } from "../../support/approved.ts";
import { townOnKubernetes } from "../support/kubernetes-town.ts";

const cluster = await testCluster();
const { noPods, listed, removeNamespaces } = cluster;

afterAll(removeNamespaces);

describe.skipIf(noPods !== undefined)(`what already runs on the cluster, from Slack${because(noPods)}`, () => {
  test("a Deployment that somebody applied is listed, scaled, restarted with an approval, and its log is read", async () => {
    await using town = await townOnKubernetes(cluster, { adopt: "all" });
    const { developer, namespaces } = town;
    await applyDeployment(cluster, { namespace: namespaces.beijing1, name: "legacy" });
    await town.until(isRunning(town, "legacy"));

    expect(await says(town, developer, "/gantry list")).toMatch(/🟢 .*legacy/u);

    await says(town, developer, "/gantry scale legacy 2");
    expect(card(developer)).toContain("nstances 1 → 2");
    await town.until(isRunning(town, "legacy"));
    const place = `/apis/apps/v1/namespaces/${namespaces.beijing1}/deployments`;
    expect(await listed(place)).toMatchObject([{ metadata: { name: "legacy" }, spec: { replicas: 2 } }]);

    expect(await approved(town, "/gantry restart legacy")).toMatch(/legacy restarted|restarting legacy/u);
    await town.until(isRunning(town, "legacy"));
    const [after] = await listed(place);
    expect(JSON.stringify(after)).toContain("kubectl.kubernetes.io/restartedAt");

    await town.until(logShows(town, "legacy", /tick \S+ \d/u));
  });

  test("one that Helm manages is scaled, but its memory is Helm's, and the answer says whose it is", async () => {
    await using town = await townOnKubernetes(cluster, { adopt: "all" });
    const { developer, namespaces } = town;
    await applyDeployment(cluster, { namespace: namespaces.beijing1, name: "shop", more: byHelm("shop-release") });
    await town.until(isRunning(town, "shop"));

    await says(town, developer, "/gantry scale shop 2");
    expect(card(developer)).toContain("nstances 1 → 2");
    await town.until(isRunning(town, "shop"));
    expect(await says(town, developer, "/gantry memory shop 512")).toContain("Helm release shop-release");
    const [deployment] = await listed(`/apis/apps/v1/namespaces/${namespaces.beijing1}/deployments`);
    expect(JSON.stringify(deployment)).not.toContain('"memory"');
  });

  test("DaemonSets, CronJobs and bare pods are there too: restarted, run now, and named as what they are", async () => {
    await using town = await townOnKubernetes(cluster, { adopt: "all" });
    const { developer, namespaces } = town;
    await applyDaemonSet(cluster, { namespace: namespaces.beijing1, name: "agent" });
    await applyPod(cluster, { namespace: namespaces.beijing1, name: "debug" });
    await applyCronJob(cluster, { namespace: namespaces.us, name: "backup", schedule: "0 0 1 1 *" });
    await town.until(isRunning(town, "agent"));

    const agent = await says(town, developer, "/gantry show agent");
    expect(agent).toMatch(/🟢 agent.*1 of 1 instance.*size set by its nodes \(DaemonSet\)/su);
    expect(agent).not.toContain("[Scale]");
    expect(await says(town, developer, "/gantry scale agent 2")).toContain("it is a DaemonSet");
    expect(await approved(town, "/gantry restart agent")).toMatch(/agent restarted|restarting agent/u);
    const [after] = await listed(`/apis/apps/v1/namespaces/${namespaces.beijing1}/daemonsets`);
    expect(JSON.stringify(after)).toContain("kubectl.kubernetes.io/restartedAt");
    await town.until(logShows(town, "agent", /tick \S+ \d/u));
    expect(await says(town, developer, "/gantry show debug")).toContain("debug is a pod without a Deployment or Job");

    expect(await says(town, developer, "/gantry show job/backup")).toMatch(
      /Schedule 0 0 1 1 \*.*next run.*\[Run now\]/su,
    );
    await says(town, developer, "/gantry run backup");
    const ended = await firstJobOf(namespaces.us);
    expect(ended).toMatch(/^backup-[0-9a-z]+$/u);
    expect(await says(town, developer, "/gantry list jobs")).toMatch(new RegExp(`⚪️.*${ended}`, "u"));
    await town.until(logShows(town, "job/backup", /backed up 7 tables/u));
    const [made] = await listed(`/apis/batch/v1/namespaces/${namespaces.us}/jobs`);
    expect(made?.metadata).toMatchObject({
      annotations: { "cronjob.kubernetes.io/instantiate": "manual" },
      ownerReferences: [{ kind: "CronJob", name: "backup", controller: true }],
    });
  });
});

/** The name of the first Job that has succeeded in a namespace. */
async function firstJobOf(namespace: string): Promise<string> {
  const limit = Date.now() + 3 * 60_000;
  for (;;) {
    const jobs = await listed(`/apis/batch/v1/namespaces/${namespace}/jobs`);
    const done = jobs.find((job) => JSON.stringify(job["status"]).includes('"succeeded":1'));
    if (done) return done.metadata.name;
    if (Date.now() > limit) throw new Error("no Job of the CronJob was done within three minutes");
    await new Promise((resolve) => setTimeout(resolve, 200)); // between two looks
  }
}

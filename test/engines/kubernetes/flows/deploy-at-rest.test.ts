import { afterAll, describe, expect, test } from "vitest";
import { rest } from "../../../support/container-script.ts";
import { because, testCluster } from "../../../support/cluster.ts";
import { card, says } from "../../../support/speak.ts";
import { approved, isRunning } from "../../support/approved.ts";
import { townOnKubernetes } from "../support/kubernetes-town.ts";

const cluster = await testCluster();
const { noPods, must, image, otherImage, removeNamespaces } = cluster;

afterAll(removeNamespaces);

describe.skipIf(noPods !== undefined)(`deploys that replace no instance on Kubernetes${because(noPods)}`, () => {
  test("of several, the next one follows one that is stopped or scaled to 0, and a paused one isn't asked about", async () => {
    await using town = await townOnKubernetes(cluster);
    const { developer, namespaces } = town;
    const script = `"trap 'exit 0' TERM; ${rest}"`;
    const create = (name: string): string => `/gantry create service ${name} --image ${image} -- sh -c ${script}`;
    // An image that is new here.
    await approved(town, create("web"));
    for (const name of ["halted", "resting", "held"]) await says(town, developer, create(name));
    for (const name of ["web", "halted", "resting", "held"]) await town.until(isRunning(town, name));
    const patch = (name: string, spec: object): Promise<unknown> =>
      must({
        method: "PATCH",
        path: `/apis/apps/v1/namespaces/${namespaces.beijing1}/deployments/${name}`,
        body: { spec },
        contentType: "application/merge-patch+json",
      });
    await approved(town, "/gantry stop halted");
    await patch("resting", { replicas: 0 });
    await patch("held", { paused: true });
    await town.until(async () => (await town.service("halted")).status === "Stopped");
    await town.until(async () => (await town.service("resting")).status === "Stopped");

    await approved(town, `/gantry deploy halted resting web ${otherImage}`);
    await town.until(() => card(developer).startsWith("✅ 3 of 3 deployed"));
    expect(card(developer)).toMatch(/⚪️ halted · .*runs when it is started/u);
    expect(card(developer)).toMatch(/⚪️ resting · .*runs when it is started/u);
    expect((await town.service("web")).containers?.[0]?.image).toBe(otherImage);

    await town.until(async () => (await says(town, developer, `/gantry deploy held ${otherImage}`)).includes("paused"));
    expect(await says(town, developer, "/gantry pending")).not.toContain("held");
  });
});

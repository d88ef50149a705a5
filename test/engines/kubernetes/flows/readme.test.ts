import { afterAll, describe, expect, test } from "vitest";
import { rest } from "../../../support/container-script.ts";
import { because, testCluster } from "../../../support/cluster.ts";
import { card, says } from "../../../support/speak.ts";
import { approved, isRunning, logShows } from "../../support/approved.ts";
import { townOnKubernetes } from "../support/kubernetes-town.ts";

const cluster = await testCluster();
const { noPods, image, removeNamespaces } = cluster;

afterAll(removeNamespaces);

describe.skipIf(noPods !== undefined)(`the README's flows on Kubernetes${because(noPods)}`, () => {
  test("a service is created, listed, scaled, restarted with an approval, read and deleted", async () => {
    await using town = await townOnKubernetes(cluster);
    const { developer } = town;
    const script = `"trap 'exit 0' TERM; httpd -p 8080 -h /tmp; echo listening; ${rest}"`;

    const create = `/gantry create service web --image ${image} --publish 8080 --memory 512 -- sh -c ${script}`;
    // An image that is new here.
    expect(await approved(town, create)).toContain("web");
    await town.until(isRunning(town, "web"));
    expect(await says(town, developer, "/gantry list")).toMatch(/🟢 .*web/u);

    await says(town, developer, "/gantry scale web 2");
    expect(card(developer)).toContain("nstances 1 → 2");
    await town.until(isRunning(town, "web"));
    expect(await says(town, developer, "/gantry show web")).toMatch(/2 of 2|2 instances/u);

    expect(await approved(town, "/gantry restart web")).toMatch(/web restarted|restarting web/u);
    await town.until(isRunning(town, "web"));

    await town.until(logShows(town, "web", /listening/u));

    // Its pods may need longer than the bot looks.
    expect(await approved(town, "/gantry delete web")).toMatch(/✅ web deleted|🟡 Still deleting web/u);
    await town.until(async () => (await town.services()).length === 0);
  });

  test("a job runs to its end, and its log is in the thread", async () => {
    await using town = await townOnKubernetes(cluster);
    const { developer } = town;

    await approved(town, `/gantry create job hello --image ${image} -- sh -c "echo step 1; echo step 2"`);
    await town.until(async () => (await town.job("hello")).status?.succeeded === 1);

    expect(await says(town, developer, "/gantry show hello")).toContain("⚪️ hello · complete");
    await town.until(logShows(town, "job/hello", /step 1[\s\S]*step 2/u));
  });
});

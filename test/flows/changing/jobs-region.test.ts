import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openPolicy } from "../../support/open-policy.ts";
import { says } from "../../support/speak.ts";
import { newest, type World, world } from "../../support/world.ts";

/** The regions that a workload API was asked about whose jobs run in tokyo1 and nowhere else. */
const asked: string[] = [];
let town: World;
beforeAll(async () => {
  town = await world({
    settings: { jobsRegion: "tokyo1" },
    via(request, send) {
      const [, region] = /\/regions\/([^/]+)\/jobs/u.exec(request.url) ?? [];
      if (region === undefined) return send(request);
      asked.push(region);
      if (region !== "tokyo1") return Promise.resolve(Response.json({ message: "no jobs here" }, { status: 400 }));
      return send(new Request(request.url.replace("/regions/tokyo1/jobs", "/regions/us/jobs"), request));
    },
  });
});
beforeEach(() => {
  asked.length = 0;
  town.setPolicy(openPolicy);
});
afterAll(async () => town.close());

test("jobs are created, listed, shown, read and deleted in the configured region, whatever --region says", async () => {
  const does = async (text: string): Promise<string> => {
    await says(town, town.developer, `/gantry ${text}`);
    return newest(town.developer);
  };

  expect(await does("create job nightly --image gantry/batch -- 1")).toContain("nightly");
  await town.until(async () => (await town.job("nightly")).status?.succeeded === 1);

  expect(await does("list")).toContain("1 job in tokyo1");
  expect(await does("list jobs")).toContain("nightly");
  expect(await does("show job/nightly")).toContain("tokyo1");
  expect(await does("show nightly --region beijing2")).toContain("nightly");
  expect(await does("logs job/nightly")).toContain("done, exit 0");
  expect(await does("show job/ghost")).toContain("There is no job named ghost in tokyo1.");
  expect(await does("whoami")).toContain("jobs run in tokyo1");
  await does("delete job/nightly");
  await town.until(() =>
    town.job("nightly").then(
      () => false,
      () => true,
    ),
  );
  expect([...new Set(asked)]).toEqual(["tokyo1"]);
});

test("a rule about a region judges jobs by theirs", async () => {
  const text = [
    "rules:",
    "  - name: no jobs in tokyo",
    "    who: members",
    "    does: [read, routine, disruptive, destructive]",
    "    workloads: { region: tokyo1 }",
    "    then: refuse",
    "    say: Tokyo is closed.",
    "  - name: everything else",
    "    who: members",
    "    does: [read, routine, disruptive, destructive]",
    "    then: allow",
  ].join("\n");
  town.setPolicy(text);

  await says(town, town.developer, "/gantry create job nightly --image gantry/batch -- 1");

  expect(newest(town.developer)).toContain("Tokyo is closed.");
  expect(asked).toEqual([]);
});

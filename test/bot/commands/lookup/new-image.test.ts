import { describe, expect, test } from "vitest";
import { checkImage } from "../../../../src/bot/commands/lookup/new-image.ts";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { job, service } from "../../views/support/workloads.ts";
import { scripted, type Script } from "../support/script.ts";

const web = service("web", { containers: [{ name: "web", image: "shop/web:1.4" }] });
const containers = [{ name: "a", image: "ghcr.io/shop/batch" }];
const batch = { ...job("report"), spec: { template: { spec: { containers } } } };

async function looked(
  image: string,
  script: Script,
  { kind = "service", region = "us" }: { kind?: "service" | "job"; region?: string } = {},
) {
  const { context, calls } = scripted(script);
  const { ask } = parseText("create service fresh --image x");
  const found = await checkImage(
    { kind, region, name: "fresh", image },
    { ...context, ask, actions: [], sends: [], region },
  );
  return { ...found, calls };
}

describe("an image is known where its repository runs already", () => {
  test.each([
    ["shop/web:9", "service", ["listServices"]],
    ["docker.io/shop/web", "service", ["listServices"]],
    [`Docker.io:443/shop/web@sha256:${"0".repeat(64)}`, "service", ["listServices"]],
    ["ghcr.io/shop/batch:2", "service", ["listServices", "listJobs"]],
    ["shop/web", "job", ["listJobs", "listServices"]],
  ] as const)("%s of a new %s", async (image, kind, expected) => {
    const { newImage, isTaken, calls } = await looked(image, { services: [web], jobs: [batch] }, { kind });

    expect(newImage).toBeUndefined();
    expect(isTaken).toBe(false);
    expect(calls).toEqual(expected);
  });

  test.each(["ghcr.io/shop/web", "shop/webs", "evil/web", "ghcr.io:444/shop/batch"])("%s isn't", async (image) => {
    const { newImage } = await looked(image, { services: [web], jobs: [batch] });

    expect(newImage).toBe(`first workload in us that runs ${image}`);
  });

  test("jobs of another region don't count", async () => {
    const { newImage, calls } = await looked(
      "ghcr.io/shop/batch",
      { services: [web], jobs: [batch] },
      { region: "eu1" },
    );

    expect(newImage).toBe("first workload in eu1 that runs ghcr.io/shop/batch");
    expect(calls).toEqual(["listServices"]);
  });

  test.each<[string, Script, string, string]>([
    ["the list can't be read", { isDown: true }, "shop/web", "The service is not available"],
    [
      "an image isn't reported",
      { services: [service("web", { containers: undefined })] },
      "x",
      "doesn't report every image",
    ],
    ["the reference is malformed", { services: [web] }, "Shop/../web", "its name can't be compared"],
  ])("unknown counts as new: %s", async (_, script, image, why) => {
    expect((await looked(image, script)).newImage).toContain(why);
  });

  test("an engine with images of its own is asked for nothing", async () => {
    const engine = { title: "Processes", regions: [], takesAnyMemory: true, keepsRevisions: true, pushesChanges: true };
    const { newImage, calls } = await looked("x", { engine: { ...engine, images: ["gantry/batch"] } });

    expect([newImage, calls]).toEqual([undefined, []]);
  });

  test("the list tells that the name is taken", async () => {
    expect((await looked("shop/web", { services: [web, service("fresh", {})] })).isTaken).toBe(true);
  });
});

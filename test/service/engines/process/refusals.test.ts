import { afterAll, describe, expect, test } from "vitest";
import type { NewService } from "../../../../src/api/schema.ts";
import { makeDataDir } from "./support/data-dir.ts";
import { openEngine, userOf } from "./support/engine-world.ts";

const { engine, changes, close } = await openEngine(makeDataDir());
afterAll(() => close());
const dana = userOf(engine);
const { signal } = new AbortController();

const idle = { target_instance_size: 0, containers: [{ image: "gantry/worker" }] };

async function sentence(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => "it was not refused",
    (error: unknown) => `${Object(error).status} ${Object(error).message}`,
  );
}

test.each<[string, NewService]>([
  ["an unknown image", { containers: [{ image: "nginx:1" }] }],
  ["a host command that is not allowed", { containers: [{ image: "host", command: ["ls"] }] }],
  [
    "more memory than any machine has",
    { containers: [{ image: "gantry/worker", resources: { limits: { memory: 1e21 } } }] },
  ],
])("a service with %s is refused", async (_, body) => {
  const said = await sentence(dana.create("refused", body));

  expect(said).toMatchSnapshot();
  expect((await dana.list()).services.map(({ name }) => name)).not.toContain("refused");
});

describe("names and places", () => {
  const others = userOf(engine, "dana", "mars");
  const user = { username: "dana" };
  const inBeijing = { user, path: { region: "beijing1" }, query: undefined, body: undefined, signal };
  const changesOf = (region: string) => ({ username: "dana", region, after: undefined, waitMs: 0, signal });
  const job = { containers: [{ image: "gantry/batch", command: ["0"] }] };

  test.each<[string, () => Promise<unknown>, string]>([
    ["an unknown service", () => dana.read("ghost"), "404 no service is named ghost: check the name"],
    ["an unknown job", () => dana.readJob("ghost"), "404 no job is named ghost: check the name"],
    ["an unknown region", () => others.list(), "400 unknown region mars: use us, beijing1"],
    ["its changes", async () => changes(changesOf("mars")), "400 unknown region mars: use us, beijing1"],
    ["jobs elsewhere", () => engine.listJobs(inBeijing), "400 jobs don't run in the region beijing1: use us"],
  ])("%s: refused with a sentence", async (_, attempt, expected) => {
    expect(await sentence(attempt())).toBe(expected);
  });

  test("a name that exists is 409, of a service and of a job", async () => {
    await dana.create("twin", idle);
    await dana.createJob("twin", job);

    expect(await sentence(dana.create("twin", idle))).toBe(
      "409 a service named twin already exists in beijing1: choose another name",
    );
    expect(await sentence(dana.createJob("twin", job))).toBe(
      "409 a job named twin already exists: choose another name",
    );
  });

  test("a domain that another service has is 409, and nothing of the update is kept", async () => {
    await dana.create("first", { ...idle, binding_domain_name: ["shop.example.com"] });
    await dana.create("second", idle);
    await dana.reaches("second", "Running");

    const change = { target_instance_size: 0, binding_domain_name: ["mine.example.com", "Shop.example.com"] };
    const said = await sentence(dana.update("second", change));

    expect(said).toMatchInlineSnapshot(
      `"409 the domain Shop.example.com belongs to another service: remove it there first. Nothing was changed."`,
    );
    expect((await dana.read("second")).binding_domain_name).toEqual([]);
    await dana.remove("first");
    await dana.update("second", change);
    expect((await dana.read("second")).binding_domain_name).toEqual(["mine.example.com", "Shop.example.com"]);
  });

  test("an update of a container that is not there is 400", async () => {
    await dana.create("lone", idle);
    await dana.reaches("lone", "Running");

    const said = await sentence(dana.update("lone", { containers: [{ name: "other" }] }));

    expect(said).toMatchInlineSnapshot(`"400 containers[0] isn't a container of this service: it has lone"`);
  });
});

test("two users have workloads of the same name and see only their own", async () => {
  const alex = userOf(engine, "alex");
  await dana.create("shared", { ...idle, volumes: [{ name: "dana", disk_name: "d" }] });
  await alex.create("shared", { ...idle, volumes: [{ name: "alex", disk_name: "d" }] });

  await alex.remove("shared");

  expect((await dana.read("shared")).volumes?.[0]?.name).toBe("dana");
  await expect(alex.read("shared")).rejects.toMatchObject({ status: 404 });
  expect((await alex.list()).services).toEqual([]);
});

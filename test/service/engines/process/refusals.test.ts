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
  test("an unknown name is 404 with a sentence", async () => {
    const said = [await sentence(dana.read("ghost")), await sentence(dana.readJob("ghost"))];

    expect(said).toMatchInlineSnapshot(`
      [
        "404 no service is named ghost: check the name",
        "404 no job is named ghost: check the name",
      ]
    `);
  });

  test("a name that exists is 409", async () => {
    await dana.create("twin", idle);
    await dana.createJob("twin", { containers: [{ image: "gantry/batch", command: ["0"] }] });

    const said = [
      await sentence(dana.create("twin", idle)),
      await sentence(dana.createJob("twin", { containers: [{ image: "gantry/batch" }] })),
    ];

    expect(said).toMatchInlineSnapshot(`
      [
        "409 a service named twin already exists in beijing1: choose another name",
        "409 a job named twin already exists: choose another name",
      ]
    `);
  });

  test("a name may be used in two regions, an unknown region is 400", async () => {
    await dana.create("spread", idle);
    await userOf(engine, "dana", "us").create("spread", idle);

    expect(await sentence(userOf(engine, "dana", "mars").list())).toMatchInlineSnapshot(
      `"400 unknown region mars: use us, beijing1"`,
    );
    const asked = { username: "dana", region: "mars", after: undefined, waitMs: 0, signal };
    expect(await sentence((async () => changes(asked))())).toBe("400 unknown region mars: use us, beijing1");
  });

  test("jobs run only in us", async () => {
    const path = { region: "beijing1" };

    const said = await sentence(
      engine.listJobs({ user: { username: "dana" }, path, query: undefined, body: undefined, signal }),
    );

    expect(said).toMatchInlineSnapshot(`"400 jobs don't run in the region beijing1: use us"`);
  });

  test("an instance that the job does not have is 404", async () => {
    await dana.createJob("sole", { containers: [{ image: "gantry/batch", command: ["0"] }] });
    const path = { region: "us", job_name: "sole", instance_name: "sole-other" };

    const asked = engine.getJobInstanceLogs({ user: { username: "dana" }, path, query: {}, body: undefined, signal });

    await expect(asked).rejects.toMatchObject({ status: 404 });
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

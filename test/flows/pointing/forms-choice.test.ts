import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { count } from "../../support/approval-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { form, says } from "../../support/speak.ts";
import { twoServicesTown } from "../../support/two-services-town.ts";
import type { Person, World } from "../../support/world.ts";

/** What a field of the open form holds; undefined when it is empty or not there. */
function held(person: Person, field: string): string | undefined {
  const blocks = Object.entries(person.modal()?.state ?? {});
  const [, elements = {}] = blocks.find(([block]) => block.split("@")[0] === field) ?? [];
  const [element] = Object.values(elements);
  const value = element?.["value"];
  return typeof value === "string" ? value : undefined;
}

describe("a form about one of two services", () => {
  let services: Awaited<ReturnType<typeof twoServicesTown>>;
  let town: World;
  beforeAll(async () => {
    services = await twoServicesTown();
    ({ town } = services);
  });
  beforeEach(() => town.setPolicy(openPolicy));
  afterEach(async () => {
    for (const name of ["web", "worker"]) services.answer(name);
    await town.settled();
    if (town.developer.modal() !== undefined) await town.developer.dismisses();
  });
  afterAll(() => services[Symbol.asyncDispose]());

  test.each([
    ["web first", ["web", "worker"]],
    ["worker first", ["worker", "web"]],
  ])("web, then worker: the form ends with worker's numbers, whichever answer comes first (%s)", async (_, answers) => {
    const { hold, answer, asked } = services;
    const { developer } = town;
    await says(town, developer, "/gantry scale");
    const before = { web: asked("web"), worker: asked("worker") };
    hold("web");
    hold("worker");

    await developer.selects("name", "web");
    await town.until(() => asked("web") > before.web);
    await developer.selects("name", "worker");
    await town.until(() => asked("worker") > before.worker);
    expect(form(developer)).toMatch(/Loading worker/u);
    for (const name of answers) answer(name);
    await town.settled();

    expect(form(developer)).toMatch(/worker\s+· running · 5 instances/u);
    expect(form(developer)).not.toMatch(/web\s+· running/u);
    expect(held(developer, "size")).toBe("5");
  });

  test("two choices made before the form was drawn once end with the later one", async () => {
    const { developer } = town;
    await says(town, developer, "/gantry scale");

    await Promise.all([developer.selects("name", "web"), developer.selects("name", "worker")]);
    await town.settled();

    expect(form(developer)).toMatch(/worker\s+· running · 5 instances/u);
    expect(held(developer, "size")).toBe("5");
  });

  test("web's number is gone as soon as worker is chosen, and cannot be sent for it", async () => {
    const { hold, answer } = services;
    const { developer } = town;
    const updates = count(town, "updateService");
    await says(town, developer, "/gantry scale web");
    expect(held(developer, "size")).toBe("2");
    hold("worker");

    await developer.selects("name", "worker");
    await town.until(() => /Loading worker/u.test(form(developer)));
    expect(held(developer, "size")).toBeUndefined();
    await developer.submits();
    expect(form(developer)).toMatch(/Loading worker/u);
    answer("worker");
    await town.settled();

    expect(held(developer, "size")).toBe("5");
    expect(count(town, "updateService")).toBe(updates);
  });

  test("a number that a person typed stays when they choose another service", async () => {
    const { hold, answer } = services;
    const { developer } = town;
    await says(town, developer, "/gantry scale web");
    await developer.selects("size", "7");
    hold("worker");

    await developer.selects("name", "worker");
    await town.until(() => /Loading worker/u.test(form(developer)));
    await developer.selects("size", "8");
    answer("worker");
    await town.settled();

    expect(form(developer)).toMatch(/worker\s+· running · 5 instances/u);
    expect(held(developer, "size")).toBe("8");
  });

  test("a second service that policy refuses leaves nothing of the first one in the form", async () => {
    town.setPolicy(`rules:
    - { name: hands off, who: everyone, does: anything, workloads: { name: worker }, then: refuse, say: The queue is frozen. }
    - { name: all, who: members, does: anything, then: allow }
  `);
    const { developer } = town;
    await says(town, developer, "/gantry scale web");

    await developer.selects("name", "worker");
    await town.settled();

    expect(form(developer)).toMatch(/The queue is frozen/u);
    expect(form(developer)).not.toMatch(/web\s+· running/u);
    expect(held(developer, "size")).toBeUndefined();
  });

  test("another region chosen after the read is read before anything is sent", async () => {
    const { developer } = town;
    const updates = count(town, "updateService");
    await says(town, developer, "/gantry scale web");
    await developer.clicks("More settings");
    await town.settled();

    await developer.submits({ region: "us" });
    await town.settled();

    expect(form(developer)).toMatch(/unknown region us/u);
    expect(held(developer, "size")).toBeUndefined();
    expect(count(town, "updateService")).toBe(updates);
  });

  test("a preview that comes after another service was chosen is not shown", async () => {
    const { hold, answer, asked } = services;
    const { developer } = town;
    const updates = count(town, "updateService");
    await says(town, developer, "/gantry domains web");
    const before = asked("web");
    hold("web");
    await developer.submits({ domains: "shop.example.com" });
    await town.until(() => asked("web") > before);

    await developer.selects("name", "worker");
    await town.until(() => /worker\s+has/u.test(form(developer)));
    answer("web");
    await town.settled();

    expect(form(developer)).toMatch(/worker\s+has no domains/u);
    expect(form(developer)).not.toMatch(/This would/u);
    expect(held(developer, "domains")).toBe("shop.example.com");
    await developer.submits();
    await town.settled();
    expect(form(developer)).toMatch(/Preview:[\s\S]*worker/u);
    expect(count(town, "updateService")).toBe(updates);
  });
});

test("when worker can't be read, the form says so and web's number is not kept", async () => {
  await using services = await twoServicesTown();
  const { town } = services;
  const { developer } = town;
  await says(town, developer, "/gantry scale web");
  const path = { region: "beijing1", service_name: "worker" };
  await town.api.send({ op: "deleteService", path, query: undefined, body: undefined });

  await developer.selects("name", "worker");
  await town.settled();

  expect(form(developer)).toMatch(/⚠️[\s\S]*worker/u);
  expect(held(developer, "size")).toBeUndefined();
});

test("an answer about web that comes to another replica after worker was chosen is not drawn", async () => {
  await using services = await twoServicesTown();
  const { town, hold, answer, asked } = services;
  const { developer } = town;
  await says(town, developer, "/gantry scale");
  hold("web");
  await developer.selects("name", "web");
  await town.until(() => asked("web") === 1);

  // The next replica knows nothing of the click before, and the former one still waits for its answer.
  await town.crashBot();
  await developer.selects("name", "worker");
  await town.settled();
  const drawn = developer.modal()?.hash;
  answer("web");
  await town.until(() => town.logged().some(({ kind }) => kind === "superseded"));

  expect(developer.modal()?.hash).toBe(drawn);
  expect(form(developer)).toMatch(/worker\s+· running · 5 instances/u);
  expect(held(developer, "size")).toBe("5");
});

test("a refused request is shown with the service it was about, whatever was chosen since", async () => {
  await using services = await twoServicesTown({
    policy: "rules:\n  - { name: all, who: members, does: anything, then: allow }\n",
  });
  const { town, hold, answer, asked } = services;
  const { developer } = town;
  await says(town, developer, "/gantry scale web");
  const before = asked("web");
  hold("web");
  await developer.submits({ size: "3" });
  await town.until(() => asked("web") > before);

  await developer.selects("name", "worker");
  const path = { region: "beijing1", service_name: "web" };
  await town.api.send({ op: "deleteService", path, query: undefined, body: undefined });
  answer("web");
  await town.settled();

  expect(form(developer)).toMatch(/⚠️|no service/u);
  expect(JSON.stringify(developer.modal()?.state)).toMatch(/web/u);
  expect(JSON.stringify(developer.modal()?.state)).not.toMatch(/worker/u);
  expect(held(developer, "size")).toBe("3");
});

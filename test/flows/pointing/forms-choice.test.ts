import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { count, othersDelete } from "../../support/approval-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { createsServices } from "../../support/shop-town.ts";
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

let services: Awaited<ReturnType<typeof twoServicesTown>>;
let town: World;
beforeAll(async () => {
  services = await twoServicesTown();
  ({ town } = services);
  await createsServices(town, ["going"]);
});
beforeEach(() => town.setPolicy(openPolicy));
afterEach(async () => {
  for (const name of ["web", "worker", "going"]) services.answer(name);
  await town.settled();
  if (town.developer.modal() !== undefined) await town.developer.closes();
});
afterAll(() => services[Symbol.asyncDispose]());

/** Chooses a service in the open form, whose facts aren't read yet. */
async function choosesUnread(name: string): Promise<void> {
  const { hold, asked } = services;
  const before = asked(name);
  hold(name);
  await town.developer.selects("name", name);
  await town.until(() => asked(name) > before);
}

test.each([
  ["web's", ["web", "worker"]],
  ["worker's", ["worker", "web"]],
])("web, then worker: the form ends with worker's numbers, also when %s answer comes first", async (_, answers) => {
  const { developer } = town;
  await says(town, developer, "/gantry scale");

  await choosesUnread("web");
  await choosesUnread("worker");
  expect(form(developer)).toMatch(/Loading worker/u);
  for (const name of answers) services.answer(name);
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

test("what was read about web is gone as soon as something else is chosen, and is never sent; what was typed stays", async () => {
  const { developer } = town;
  const updates = count(town, "updateService");
  await says(town, developer, "/gantry scale web");
  expect(held(developer, "size")).toBe("2");

  await choosesUnread("worker");
  expect(held(developer, "size")).toBeUndefined();
  await developer.submits();
  expect(form(developer)).toMatch(/Loading worker/u);
  services.answer("worker");
  await town.settled();
  expect(held(developer, "size")).toBe("5");

  // Another region is read before anything is sent.
  await developer.clicks("More settings");
  await town.settled();
  await developer.submits({ region: "us" });
  await town.settled();
  expect(form(developer)).toMatch(/unknown region us/u);
  expect(held(developer, "size")).toBeUndefined();
  await developer.closes();

  await says(town, developer, "/gantry scale web");
  await developer.selects("size", "7");
  await choosesUnread("worker");
  await developer.selects("size", "8");
  services.answer("worker");
  await town.settled();
  expect(form(developer)).toMatch(/worker\s+· running · 5 instances/u);
  expect(held(developer, "size")).toBe("8");
  expect(count(town, "updateService")).toBe(updates);
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

test("an answer about web that comes to another replica after worker was chosen is not drawn", async () => {
  const { developer } = town;
  await says(town, developer, "/gantry scale");
  await choosesUnread("web");

  // The next replica knows nothing of the click before, and the former one still waits for its answer.
  await town.crashBot();
  await developer.selects("name", "worker");
  await town.settled();
  const drawn = developer.modal()?.hash;
  const superseded = () => town.logged().filter(({ kind }) => kind === "superseded").length;
  const before = superseded();
  services.answer("web");
  await town.until(() => superseded() > before);

  expect(developer.modal()?.hash).toBe(drawn);
  expect(form(developer)).toMatch(/worker\s+· running · 5 instances/u);
  expect(held(developer, "size")).toBe("5");
});

test("a service that is gone is told with what was chosen and typed for it, whatever was chosen since", async () => {
  const { hold, answer, asked } = services;
  const { developer } = town;
  await says(town, developer, "/gantry scale going");
  const before = asked("going");
  hold("going");
  await developer.submits({ size: "3" });
  await town.until(() => asked("going") > before);

  await developer.selects("name", "worker");
  await othersDelete(town, "going");
  answer("going");
  await town.settled();

  expect(form(developer)).toMatch(/⚠️|no service/u);
  expect(JSON.stringify(developer.modal()?.state)).toMatch(/going/u);
  expect(JSON.stringify(developer.modal()?.state)).not.toMatch(/worker/u);
  expect(held(developer, "size")).toBe("3");
  await developer.closes();

  await says(town, developer, "/gantry scale web");
  await developer.selects("name", "going");
  await town.settled();
  expect(form(developer)).toMatch(/⚠️[\s\S]*going/u);
  expect(held(developer, "size")).toBeUndefined();
});

import { expect, test } from "vitest";
import { makeDataDir } from "./support/data-dir.ts";
import { openEngine, userOf } from "./support/engine-world.ts";

const domains = (count: number, stem: string) => Array.from({ length: count }, (_, index) => `${stem}${index}.example`);

test("binds thousands of domains at once, and names the one that another service has", async () => {
  const { engine, close } = await openEngine(makeDataDir());
  const dana = userOf(engine);
  const idle = { target_instance_size: 0, containers: [{ image: "gantry/worker" }] };
  await dana.create("first", { ...idle, binding_domain_name: ["Shop.example"] });
  await dana.create("second", { ...idle, binding_domain_name: domains(5_000, "d") });
  await dana.reaches("second", "Running");

  const taken = dana.update("second", { binding_domain_name: [...domains(5_000, "e"), "SHOP.example"] });

  await expect(taken).rejects.toMatchObject({
    status: 409,
    message: "the domain SHOP.example belongs to another service: remove it there first. Nothing was changed.",
  });
  expect((await dana.read("second")).binding_domain_name).toEqual(domains(5_000, "d"));
  await dana.update("second", { binding_domain_name: domains(2, "d") });
  await dana.create("third", { ...idle, binding_domain_name: ["D4999.example"] });
  await close();
});

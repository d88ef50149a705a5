import { expect } from "vitest";
import { expectRefusal } from "./refusal.ts";
import { definitionOf, idleService, webBody } from "./web-service.ts";
import type { World } from "./world.ts";

/** Whether the service reads the whole body: where domains are refused, it says so instead of what is wrong with them. */
export function canSend(world: World, body: unknown): boolean {
  if (world.knows.domains !== false) return true;
  return typeof body !== "object" || body === null || !("binding_domain_name" in body);
}

/** A service that can't route domains accepts none: nothing is created or changed. */
export async function refusesDomains(world: World): Promise<void> {
  const binding_domain_name = ["shop.example.com"];
  const name = await idleService(world);
  const late = world.newName("late");
  const before = await world.get("getService", { name });

  const created = await world.ask("createService", { name: late, body: webBody(world, { binding_domain_name }) });
  const changed = await world.ask("updateService", { name, body: { target_instance_size: 5, binding_domain_name } });

  for (const reply of [created, changed]) expectRefusal(reply, { status: 400, naming: "binding_domain_name" });
  expect(await world.ask("getService", { name: late })).toMatchObject({ status: 404 });
  expect(definitionOf(await world.get("getService", { name }))).toEqual(definitionOf(before));
}

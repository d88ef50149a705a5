import { images } from "../service/support/memory-store.ts";
import { approvalTown } from "./approval-town.ts";
import type { World, WorldOptions } from "./world.ts";

/** A town with `web` and services of these names, which run. */
export async function shopTown(
  names: readonly string[],
  options: Omit<WorldOptions, "engine" | "apiFetch"> = {},
): Promise<World> {
  const town = await approvalTown(options);
  await createsServices(town, names);
  return town;
}

/** Services of these names, which run, past the bot. */
export async function createsServices(town: World, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = { region: "beijing1", service_name: name };
    const containers = [{ image: images.web, resources: { limits: { memory: "512" } } }];
    await town.api.send({ op: "createService", path, query: undefined, body: { target_instance_size: 1, containers } });
  }
  await town.until(async () => (await town.services()).every(({ status }) => status === "Running"));
}

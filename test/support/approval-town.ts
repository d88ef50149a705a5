import type { AccountApi } from "../../src/api/client.ts";
import type { OperationId } from "../../src/api/operations.ts";
import { images } from "../service/support/memory-store.ts";
import { memoryEngine } from "../service/support/memory-engine.ts";
import { testClock } from "./test-clock.ts";
import { world, type World, type WorldOptions } from "./world.ts";

/** The bot's shortest wait in a world. A longer one makes what a card says depend on which timer fires first. */
const SETTLE_MS = 1;

/** The whole of Gantry over an engine that runs nothing, with one service `web` of two instances in each account. */
export async function approvalTown(options: Omit<WorldOptions, "engine" | "apiFetch"> = {}): Promise<World> {
  const { clock = testClock() } = options;
  const regions = ["us", "beijing1", "beijing2"];
  const { engine, close } = memoryEngine({ regions, settleMs: SETTLE_MS, clock });
  const town = await world({ ...options, engine, clock });
  for (const api of [town.api, ...(options.users ?? []).map((user) => town.apiAs(user))]) await createWeb(town, api);
  const closeAll = async (): Promise<void> => {
    await town.close();
    await close();
  };
  return { ...town, close: closeAll, [Symbol.asyncDispose]: closeAll };
}

export async function createWeb(town: World, api: AccountApi, name = "web"): Promise<void> {
  const path = { region: "beijing1", service_name: name };
  await api.send({
    op: "createService",
    path,
    query: undefined,
    body: {
      target_instance_size: 2,
      containers: [{ image: images.web, resources: { limits: { memory: "512" } } }],
    },
  });
  const read = { op: "getService", path, query: undefined, body: undefined } as const; // a Call of this operation
  await town.until(async () => (await api.send(read)).status === "Running");
}

/** Somebody deletes a service without the bot. */
export async function othersDelete(town: World, name: string): Promise<void> {
  const path = { region: "beijing1", service_name: name };
  await town.api.send({ op: "deleteService", path, query: undefined, body: undefined });
}

/** Somebody sets the size of a service without the bot; it runs again afterwards. */
export async function othersScale(town: World, name: string, size: number): Promise<void> {
  const path = { region: "beijing1", service_name: name };
  await town.api.send({ op: "updateService", path, query: undefined, body: { target_instance_size: size } });
  await town.until(async () => (await town.service(name)).status === "Running");
}

/** How often the bot calls an operation from now on. */
export function counting(town: World): (op: OperationId) => number {
  const before = town.calls().length;
  return (op) => town.calls().filter((each, at) => at >= before && each === op).length;
}

/** How often the bot called an operation. */
export function count(town: World, op: OperationId): number {
  return town.calls().filter((each) => each === op).length;
}

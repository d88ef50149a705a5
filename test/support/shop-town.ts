import { images } from "../service/support/memory-store.ts";
import { approvalTown } from "./approval-town.ts";
import { openPolicy } from "./open-policy.ts";
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

/** The services that the bot restarted, in order, as the workload API saw it. */
function watch(): { readonly writes: string[]; readonly via: (request: Request) => void } {
  const writes: string[] = [];
  return {
    writes,
    via({ method, url }) {
      const name = /\/services\/([^/?]+)/u.exec(url)?.[1];
      if (method !== "GET" && name !== undefined) writes.push(name);
    },
  };
}

type Answer = (name: string) => Response | undefined;

/** A town whose workload API answers a write in this way, or does it. */
export async function townThat(answer: Answer, names: readonly string[], policy = openPolicy) {
  const { writes, via } = watch();
  const town = await shopTown(names, {
    policy,
    async via(request, send) {
      via(request);
      const name = writes.at(-1);
      const made = request.method === "GET" || name === undefined ? undefined : answer(name);
      return made ?? send(request);
    },
  });
  return { town, writes };
}

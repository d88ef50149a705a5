import { approvalTown } from "./approval-town.ts";
import type { World, WorldOptions } from "./world.ts";
import { images } from "../service/support/memory-store.ts";

type TwoServices = {
  readonly town: World;
  /** From now on the workload API does not answer questions about this service. */
  readonly hold: (name: string) => void;
  /** Answers what waits and what comes later. */
  readonly answer: (name: string) => void;
  /** How often the bot has asked about this service. */
  readonly asked: (name: string) => number;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** A town with `web` of 2 instances and `worker` of 5, whose answers can be held back one by one. */
export async function twoServicesTown(options: Pick<WorldOptions, "policy"> = {}): Promise<TwoServices> {
  const held = new Map<string, PromiseWithResolvers<void>>();
  const asked: string[] = [];
  const town = await approvalTown({
    ...options,
    via: async (request, send) => {
      const name = /\/services\/([^/?]+)$/u.exec(request.url)?.[1] ?? "";
      asked.push(name);
      await held.get(name)?.promise;
      return send(request);
    },
  });
  const path = { region: "beijing1", service_name: "worker" };
  const body = {
    target_instance_size: 5,
    containers: [{ image: images.web, resources: { limits: { memory: "1024" } } }],
  };
  await town.api.send({ op: "createService", path, query: undefined, body });
  await town.until(async () => (await town.service("worker")).status === "Running");
  const answer = (name: string): void => {
    held.get(name)?.resolve();
    held.delete(name);
  };
  return {
    town,
    hold: (name) => void held.set(name, Promise.withResolvers()),
    answer,
    asked: (name) => asked.filter((each) => each === name).length,
    async [Symbol.asyncDispose]() {
      for (const name of held.keys()) answer(name);
      await town.close();
    },
  };
}

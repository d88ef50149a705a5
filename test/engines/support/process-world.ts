import { DEADLINE_MS } from "../../support/until.ts";
import { type Reply, type World, worldOf } from "../../service/contract/world.ts";
import { accounts, regions } from "../../service/contract/served.ts";
import type { ServiceProcess } from "../../support/service-process.ts";

/** Asks whichever service runs; a request rejects while none does. */
export function worldOfProcess(running: () => ServiceProcess | undefined): World {
  return worldOf({
    async fetch(request) {
      const service = running();
      if (!service) throw new Error("the service doesn't run");
      const { pathname, search } = new URL(request.url);
      return await fetch(new URL(pathname + search, service.url), new Request(request, { duplex: "half" }));
    },
    ...accounts,
    regions,
    workloads: noWorkloads,
    knows: { images: false, history: false },
    reach: async () => "",
    deadlineMs: DEADLINE_MS,
    close: async () => {},
  });
}

/** Repeats a read until the service answers it. */
export async function readAgain({ world }: { readonly world: World }, read: () => Promise<Reply>): Promise<Reply> {
  const answered = () =>
    read().then(
      (reply) => (reply.status < 500 ? reply : undefined),
      () => undefined,
    );
  const reply = await world.until(answered, (value) => value !== undefined);
  if (reply === undefined) throw new Error("no answer");
  return reply;
}

const none = { image: "none" };

/** These tests have bodies of their own. */
export const noWorkloads: World["workloads"] = {
  web: { container: none, otherImage: "", port: 8080, startLine: /^started$/u },
  lines: () => none,
  nthLine: () => "",
  failing: none,
  crashing: none,
  lasting: none,
};

import type { Exposed, Exposure, Runtime } from "../runtime.ts";
import { makeConnectionBudget, openPortFront, portOf } from "./port-front.ts";

/** The open fronts of a runtime. */
export type PortFronts = { readonly open: Runtime["expose"]; readonly close: () => Promise<void> };

/** `host` is an address of this machine. At most `mostConnections` are forwarded at the same time. */
export function makePortFronts(host: string, mostConnections: number): PortFronts {
  const connections = makeConnectionBudget(mostConnections);
  const fronts = new Set<Exposure>();
  return {
    async open({ assigned, targets, isExact }: Exposed) {
      const front = await openPortFront({ host, port: portOf(assigned ?? ""), isExact }, targets, connections);
      const exposure: Exposure = {
        address: `${host}:${front.port}`,
        async release() {
          fronts.delete(exposure);
          await front.close();
        },
      };
      fronts.add(exposure);
      return exposure;
    },
    close: async () => void (await Promise.all([...fronts].map((front) => front.release()))),
  };
}

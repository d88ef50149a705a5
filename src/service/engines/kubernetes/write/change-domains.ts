import type { ServiceDefinition } from "../../../workloads/definitions/service-definition.ts";
import { refusalOf } from "../cluster/refusal-of.ts";
import type { FoundService } from "../read/found-service.ts";
import { refuseLaterDomains, routedPort } from "./domains.ts";
import { replaceRoutes } from "./service-making.ts";
import type { Target } from "./target.ts";

/**
 * Routes the domains of a service of Gantry, whose other changes were made before. If another service binds one of them
 * at the same moment, the routes are those from before again.
 */
export async function changeDomains(target: Target, before: FoundService, after: ServiceDefinition): Promise<void> {
  const { source, service } = before;
  if (source.kind !== "Deployment") return;
  const bind = (definition: ServiceDefinition) => {
    const { domains } = definition;
    return replaceRoutes(target, source.object, { domains, port: routedPort(target.region, definition) });
  };
  const isAlone = service.definition.size === after.size && service.definition.containers === after.containers;
  try {
    const routes = await bind(after);
    try {
      await refuseLaterDomains(target, routes, source.object.metadata.uid);
    } catch (error) {
      await bind(service.definition);
      throw error;
    }
  } catch (error) {
    const left = isAlone ? undefined : "Its size and memory were changed, its domains may not be.";
    throw refusalOf(error, { doing: `bind the domains of the service ${target.name}`, wrote: true, left });
  }
}

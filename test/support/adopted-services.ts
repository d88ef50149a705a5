import { approvalTown } from "./approval-town.ts";
import type { World, WorldOptions } from "./world.ts";
import type { Fetch } from "./world-service.ts";

/** Kubernetes allows names of 253 characters. */
export const longName = `checkout-${"very-".repeat(46)}long-eu1-v2.4`;

const adopted = [
  {
    name: "redis.cache",
    uid: "u-redis",
    status: "Running",
    ready_instances: 2,
    target_instance_size: 2,
    // Nobody set a limit, a port or a mount, and a value comes from a secret of the cluster.
    containers: [
      { name: "redis", image: "redis:7", env: [{ name: "REDIS_PASSWORD" }], resources: {} },
      { name: "exporter", image: "exporter:1", resources: { limits: { memory: "64Mi" } } },
    ],
  },
  { name: longName, uid: "u-long", status: "Running", target_instance_size: 1, containers: [{ image: "shop:1" }] },
];

const helm = "Gantry may not";
const belongs = "service shop: it belongs to Helm release shop.";
const sizer = "the autoscaler queue-hpa sets its size. Change the autoscaler's limits, or remove it.";

/** Somebody else owns the first, and something else sets the size of the second. */
const owned = [
  {
    name: "shop",
    uid: "u-shop",
    status: "Running",
    ready_instances: 1,
    target_instance_size: 1,
    containers: [{ name: "shop", image: "shop:1", resources: { limits: { memory: "256" } } }],
    binding_domain_name: [],
    managed_by: "Helm release shop",
    refused_operations: [
      { operation: "deleteService", reason: `${helm} delete ${belongs} Delete it there.` },
      {
        operation: "updateService",
        part: "memory",
        reason: `${helm} change the memory of ${belongs} Change it there.`,
      },
      {
        operation: "updateService",
        part: "domains",
        reason: `${helm} change the domains of ${belongs} Change them there.`,
      },
    ],
  },
  {
    name: "queue",
    uid: "u-queue",
    status: "Running",
    ready_instances: 2,
    target_instance_size: 2,
    containers: [{ name: "queue", image: "queue:1" }],
    size_set_by: "autoscaler queue-hpa",
    refused_operations: [
      { operation: "updateService", part: "size", reason: `Service queue can't be scaled: ${sizer}` },
      { operation: "startService", reason: `Service queue can't be started: ${sizer}` },
      { operation: "stopService", reason: `Service queue can't be stopped: ${sizer}` },
    ],
  },
];

const tidy = {
  metadata: { name: "tidy", uid: "u-tidy" },
  instance_names: ["tidy-x7k2p"],
  managed_by: "CronJob tidy",
  refused_operations: [
    { operation: "deleteJob", reason: "Gantry may not delete job tidy: it belongs to CronJob tidy. Delete it there." },
  ],
};

type Refusal = { readonly status: number; readonly message: string };

export type AdoptedApi = {
  /** Stands before an API that has other workloads. */
  readonly via: NonNullable<WorldOptions["via"]>;
  /** What was written, as paths below the services. */
  readonly writes: readonly string[];
  /** From now on, each write is refused so; undefined: none is. */
  readonly refuses: (refusal: Refusal | undefined) => void;
};

/** A workload API that has found services that Gantry didn't create, two of which are partly in others' hands. */
export function adoptedApi(): AdoptedApi {
  const services = new Map([...adopted, ...owned].map((service) => [service.name, { ...service }]));
  const writes: string[] = [];
  let refused: Refusal | undefined;
  return {
    writes,
    refuses: (refusal) => void (refused = refusal),
    async via(request, send) {
      const { pathname } = new URL(request.url);
      if (pathname.endsWith("/services")) {
        return Response.json({
          services: [...services.values()].map((each) => ({ ...each, refused_operations: undefined })),
        });
      }
      if (pathname.endsWith("/jobs/tidy") && request.method === "GET") return Response.json(tidy);
      const [, name = "", rest = ""] = /\/services\/([^/]+)(\/\w+)?$/u.exec(pathname) ?? [];
      const service = services.get(decodeURIComponent(name));
      if (service === undefined) return send(request);
      if (request.method === "GET") return Response.json(rest === "/logs" ? [] : service);
      if (refused !== undefined) return Response.json({ message: refused.message }, { status: refused.status });
      writes.push(`${service.name}${rest}`);
      if (rest === "") Object.assign(service, await request.json(), { ready_instances: undefined });
      return Response.json({});
    },
  };
}

/** What a verb reads there, without a town. */
export const adoptedFetch: Fetch = (request) =>
  adoptedApi().via(request, async ({ url }) =>
    url.endsWith("/jobs") ? Response.json({ jobs: [] }) : Response.json({ message: "there is none" }, { status: 404 }),
  );

export async function adoptedTown(
  options: Omit<WorldOptions, "engine" | "apiFetch" | "via"> = {},
): Promise<AdoptedApi & { readonly town: World }> {
  const api = adoptedApi();
  return { ...api, town: await approvalTown({ ...options, via: api.via }) };
}

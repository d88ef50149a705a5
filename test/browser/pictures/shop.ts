import type { PlainJob as Job, PlainService as Service } from "../../support/as-read.ts";
import type { Fetch } from "../../support/world-service.ts";

/** When the pictures are taken. */
export const moment = Date.parse("2026-11-20T09:41:00Z");

const ago = (minutes: number): string => new Date(moment - minutes * 60_000).toISOString();

export function service(name: string, fields: Partial<Service> = {}): Service {
  const size = fields.target_instance_size ?? 2;
  return {
    uid: `uid-${name}`,
    name,
    created_at: "2026-11-12T08:15:00Z",
    status: "Running",
    status_since: ago(3 * 24 * 60),
    target_instance_size: size,
    ready_instances: size,
    restarts: { count: 0 },
    binding_domain_name: [],
    containers: [{ name, image: `shop/${name}:4.12`, resources: { limits: { memory: "256" } } }],
    ...fields,
  };
}

function job(name: string, status: Job["status"]): Job {
  return {
    metadata: { name, uid: `uid-${name}`, creationTimestamp: ago(26 * 60) },
    spec: { completions: 1, template: { spec: { containers: [{ name, image: `shop/${name}:2` }] } } },
    status,
  };
}

const crashing = service("checkout", {
  target_instance_size: 1,
  ready_instances: 0,
  restarts: { count: 6, first_at: ago(5), last_at: ago(1), last_reason: "exited with code 137 (out of memory)" },
});

const done = job("nightly", {
  succeeded: 1,
  startTime: ago(6 * 60),
  completionTime: ago(6 * 60 - 4),
  conditions: [{ type: "Complete", status: "True", lastTransitionTime: ago(6 * 60 - 4) }],
});

const failed = job("invoices", {
  failed: 4,
  startTime: ago(12),
  conditions: [{ type: "Failed", status: "True", lastTransitionTime: ago(2), message: "exit code 2 after 4 attempts" }],
});

const logLines = [
  "GET /cart 200 12ms",
  "POST /orders 201 48ms",
  "WARN pool: 18 of 20 connections in use",
  "ERROR POST /orders 504: payments did not answer",
  "GET /healthz 200 1ms",
  "ERROR POST /orders 504: payments did not answer",
  "WARN retrying order 81934 in 2 s",
  "ERROR POST /orders 504: payments did not answer",
];

const log = logLines.map((text, at) => ({
  instance_name: `checkout-${at % 3}`,
  log: `09:3${Math.floor(at / 3)}:${String((at * 17) % 60).padStart(2, "0")} ${text}`,
}));

export type Shop = {
  readonly services: Map<string, Service>;
  readonly jobs: Map<string, Job>;
  /** The next write fails with this answer. */
  refusal?: Response;
  isDown?: boolean;
  readonly fetch: Fetch;
};

const missing = (): Response => Response.json({ message: "not found" }, { status: 404 });

/** A workload API whose services do what they are told at once. */
export function shop(services: readonly Service[] = shopServices, jobs: readonly Job[] = [done, failed]): Shop {
  const state: Shop = {
    services: new Map(services.map((each) => [each.name ?? "", each])),
    jobs: new Map(jobs.map((each) => [each.metadata?.name ?? "", each])),
    async fetch(request) {
      if (state.isDown === true) throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
      if (request.method === "GET") return read(state, new URL(request.url).pathname);
      const { refusal } = state;
      delete state.refusal;
      return refusal ?? write(state, request);
    },
  };
  return state;
}

export const shopServices: readonly Service[] = [
  service("api-gateway", { target_instance_size: 3, binding_domain_name: ["shop.example.com"] }),
  crashing,
  service("payments"),
  service("search", { status: "Stopped", target_instance_size: 2, ready_instances: 0 }),
  service("worker", { target_instance_size: 1 }),
];

const parts = (pathname: string): readonly string[] =>
  /\/(services|jobs)(?:\/([^/]+))?(?:\/(.+))?$/u.exec(pathname)?.slice(1) ?? [];

function read({ services, jobs }: Shop, pathname: string): Response {
  const [kind, name, what] = parts(pathname);
  if (what?.endsWith("logs") === true) return Response.json(log);
  if (kind === "jobs") {
    if (name === undefined) return Response.json({ jobs: [...jobs.values()] });
    const found = jobs.get(name);
    return found === undefined ? missing() : Response.json(found);
  }
  if (name === undefined) return Response.json({ region: "beijing1", services: [...services.values()] });
  const found = services.get(name);
  return found === undefined ? missing() : Response.json(found);
}

async function write({ services, jobs }: Shop, request: Request): Promise<Response> {
  const [kind, name = "", what] = parts(new URL(request.url).pathname);
  const body: unknown = await request.json().catch(() => ({}));
  if (kind === "jobs") {
    if (request.method === "DELETE") jobs.delete(name);
    else jobs.set(name, job(name, { active: 1, startTime: new Date(moment).toISOString() }));
    return Response.json({});
  }
  const before = services.get(name) ?? service(name);
  if (request.method === "DELETE") services.delete(name);
  else services.set(name, { ...before, ...changed(before, { what, body }) });
  return Response.json({});
}

type Wanted = { readonly what: string | undefined; readonly body: unknown };

function changed(before: Service, { what, body }: Wanted): Partial<Service> {
  const status_since = new Date(moment).toISOString();
  if (what === "stop") return { status: "Stopped", status_since, ready_instances: 0 };
  if (what !== undefined) return { status: "Running", status_since, ready_instances: before.target_instance_size ?? 1 };
  const fields = body as Partial<Service>; // what the bot sends
  const size = fields.target_instance_size ?? before.target_instance_size ?? 1;
  return { ...fields, ready_instances: size };
}

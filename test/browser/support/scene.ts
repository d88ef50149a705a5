// The workloads in the README's picture: fixed, so that a new picture differs only where the page has changed.

function service(name: string, size: number, status = "Running") {
  return {
    uid: `uid-${name}`,
    name,
    created_at: "2026-11-12T08:15:00Z",
    status,
    target_instance_size: size,
    containers: [{ name, image: `shop/${name}:4.12`, resources: { limits: { memory: "512" } } }],
  };
}

const logLines = [
  "GET /cart 200 12ms",
  "POST /orders 201 48ms",
  "WARN pool: 18 of 20 connections in use",
  "POST /orders 201 61ms",
  "ERROR POST /orders 504: payments did not answer",
  "GET /healthz 200 1ms",
  "ERROR POST /orders 504: payments did not answer",
  "WARN retrying order 81934 in 2 s",
  "GET /cart 200 9ms",
  "ERROR POST /orders 504: payments did not answer",
];

function log(): readonly object[] {
  return logLines.map((text, at) => ({
    instance_name: `checkout-${at % 3}`,
    log: `09:3${Math.floor(at / 3)}:${String((at * 17) % 60).padStart(2, "0")} ${text}`,
  }));
}

const missing = (): Response => Response.json({ message: "no such thing" }, { status: 404 });

/** A workload API with three services, one of them stopped. Read-only. */
export function sceneService(): (request: Request) => Promise<Response> {
  const services = [service("checkout", 3), service("payments", 2), service("search", 2, "Stopped")];
  return async ({ method, url }) => {
    const [, kind, name, what] = /\/(services|jobs)(?:\/([^/]+))?(?:\/([^/]+))?$/u.exec(new URL(url).pathname) ?? [];
    if (kind === "jobs") return name === undefined ? Response.json({ jobs: [] }) : missing();
    if (name === undefined) return Response.json({ region: "beijing1", services });
    const one = services.find((each) => each.name === name);
    if (one === undefined) return missing();
    if (what === "logs") return Response.json(log());
    return method === "GET" ? Response.json(one) : missing();
  };
}

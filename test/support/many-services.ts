/** A service of the API with this many services, and no jobs. */
export function manyServices(count: number): (request: Request) => Promise<Response> {
  const services = Array.from({ length: count }, (_, at) => ({
    uid: `u${at}`,
    name: `svc-${String(at + 1).padStart(4, "0")}`,
    created_at: "2026-11-20T09:30:00Z",
    status: at % 3 === 0 ? "Stopped" : "Running",
    target_instance_size: 2,
    containers: [{ name: "c", image: "gantry/hello-web", resources: { limits: { memory: "512" } } }],
  }));
  return async ({ url }) => {
    const { pathname } = new URL(url);
    if (pathname.endsWith("/services")) return Response.json({ region: "beijing1", services });
    if (pathname.endsWith("/jobs")) return Response.json({ jobs: [] });
    return Response.json({ message: "no such thing" }, { status: 404 });
  };
}

/** A service of the API with one service, `web`, whose log has this many lines. */
export function longLog(count: number): (request: Request) => Promise<Response> {
  const lines = Array.from({ length: count }, (_, at) => ({
    instance_name: `web-${at % 2}`,
    log: `line ${at + 1} GET /orders/${at} 200 ${"x".repeat(60)}`,
  }));
  return async ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    if (pathname.endsWith("/services/web/logs")) {
      const end = Math.max(0, lines.length - Number(searchParams.get("from")));
      return Response.json(lines.slice(Math.max(0, end - Number(searchParams.get("size"))), end));
    }
    if (pathname.endsWith("/services")) return Response.json({ region: "beijing1", services: [{ name: "web" }] });
    if (pathname.endsWith("/jobs")) return Response.json({ jobs: [] });
    return Response.json({ message: "no such thing" }, { status: 404 });
  };
}

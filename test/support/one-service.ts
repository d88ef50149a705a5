export const web = {
  name: "web",
  uid: "u1",
  status: "Running",
  target_instance_size: 2,
  containers: [{ name: "c", image: "gantry/hello-web", resources: { limits: { memory: "512" } } }],
};

/** A service of the API with one service, `web`; writes are accepted and change nothing. */
export async function oneService({ method, url }: Request): Promise<Response> {
  const { pathname } = new URL(url);
  if (method !== "GET") return Response.json({});
  if (pathname.endsWith("/services/web")) return Response.json(web);
  if (pathname.endsWith("/services")) return Response.json({ services: [web] });
  if (pathname.endsWith("/jobs")) return Response.json({ jobs: [] });
  return Response.json({ message: "no such thing" }, { status: 404 });
}

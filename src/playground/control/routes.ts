import { type Context, Hono } from "hono";
import { assetRoutes } from "../page-server/asset-routes.ts";
import { webApi } from "../web-api/web-api.ts";
import type { World } from "../world.ts";
import { foreignCaller } from "./host-guard.ts";
import { pageRoutes } from "./page-routes.ts";
import { stateJson } from "./state-json.ts";
import { terminalRoutes } from "./terminal-routes.ts";

function serveFile(world: World, id: string): Response {
  const file = world.state.files.get(id);
  if (file === undefined) return new Response("This file doesn't exist.", { status: 404 });
  // Uploaded files are served as data, never as a page of this origin.
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
    "x-content-type-options": "nosniff",
  };
  return new Response(Buffer.from(file.bytes), { headers });
}

// The bot's requests carry a token or a secret address, so they may come from anywhere.
const forBot = /^\/(?:api|response|upload)\//;

function guarded(routes: Hono, world: World, hosts: readonly string[]): void {
  const guard = async (context: Context, next: () => Promise<void>): Promise<Response | undefined> => {
    const problem = forBot.test(context.req.path) ? undefined : foreignCaller(world, context.req.raw, hosts);
    if (problem !== undefined) return context.json({ error: problem }, 403);
    await next();
    return undefined;
  };
  routes.use("*", guard);
}

/** All HTTP routes of the playground: Slack's API for the bot, and the control routes for people. */
export function controlRoutes(world: World, hosts: readonly string[]): Hono {
  const routes = new Hono();
  guarded(routes, world, hosts);
  routes.all("/api/:method", (context) => webApi.method(world, context.req.param("method"), context.req.raw));
  routes.post("/response/:id", (context) => webApi.response(world, context.req.param("id"), context.req.raw));
  routes.post("/upload/:id", (context) => webApi.upload(world, context.req.param("id"), context.req.raw));
  routes.get("/files/:id", (context) => serveFile(world, context.req.param("id")));
  routes.get("/playground/state", (context) => context.json(stateJson(world)));
  routes.route("/playground", terminalRoutes(world));
  routes.route("/playground", pageRoutes(world));
  routes.route("/", assetRoutes());
  return routes;
}

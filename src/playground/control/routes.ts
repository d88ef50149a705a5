import { type Context, Hono } from "hono";
import { authorizeRoutes } from "../installs/authorize.ts";
import type { Slack } from "../installs/slack.ts";
import { assetRoutes } from "../page-server/asset-routes.ts";
import { webApi } from "../web-api/web-api.ts";
import type { World } from "../world.ts";
import { callerOf, foreignCaller } from "./host-guard.ts";
import { pageRoutes } from "./page-routes.ts";
import { stateJson } from "./state-json.ts";
import { terminalRoutes } from "./terminal-routes.ts";
import { worldOfRequest } from "./world-of-person.ts";

function serveFile({ worlds }: Slack, id: string): Response {
  const file = worlds().flatMap(({ state }) => state.files.get(id) ?? [])[0];
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

function guarded(routes: Hono, { worlds }: Slack, hosts: readonly string[]): void {
  const guard = async (context: Context, next: () => Promise<void>): Promise<Response | undefined> => {
    const [world] = worlds();
    const problem = forBot.test(context.req.path) ? undefined : foreignCaller(world, callerOf(context.req.raw), hosts);
    if (problem !== undefined) return context.json({ error: problem }, 403);
    await next();
    return undefined;
  };
  routes.use("*", guard);
}

/** The control routes of one workspace. */
function workspaceRoutes(world: World): Hono {
  const routes = new Hono();
  routes.get("/playground/state", (context) => context.json(stateJson(world)));
  routes.route("/playground", terminalRoutes(world));
  routes.route("/playground", pageRoutes(world));
  return routes;
}

/** All HTTP routes of the playground: Slack's API for the bot, and the control routes for people. */
export function controlRoutes(slack: Slack, hosts: readonly string[]): Hono {
  const routes = new Hono();
  const ofWorkspace = new Map<World, Hono>();
  const routesOf = (world: World): Hono => {
    const known = ofWorkspace.get(world) ?? workspaceRoutes(world);
    ofWorkspace.set(world, known);
    return known;
  };
  guarded(routes, slack, hosts);
  routes.all("/api/:method", (context) => webApi.method(slack, context.req.param("method"), context.req.raw));
  routes.post("/response/:id", (context) => webApi.response(slack, context.req.param("id"), context.req.raw));
  routes.post("/upload/:id", (context) => webApi.upload(slack, context.req.param("id"), context.req.raw));
  routes.get("/files/:id", (context) => serveFile(slack, context.req.param("id")));
  routes.route("/", authorizeRoutes(slack));
  routes.all("/playground/*", async (context, next) => {
    if (context.req.path === "/playground/gallery") return next();
    return routesOf(await worldOfRequest(slack, context.req.raw)).fetch(context.req.raw);
  });
  routes.route("/", assetRoutes());
  routes.onError((error, context) => {
    // Who left while sending a body gets no answer. Anything else is a bug, which the server reports and answers.
    if (!context.req.raw.signal.aborted) throw error;
    return context.body(null, 400);
  });
  return routes;
}

import { type Context, Hono } from "hono";
import { authorizeRoutes } from "../installs/oauth.ts";
import type { Slack, World } from "../world.ts";
import { assetRoutes } from "./asset-routes.ts";
import { webApi } from "../web-api/web-api.ts";
import { callerOf, foreignCaller } from "./host-guard.ts";
import { pageRoutes } from "./page-routes.ts";
import { terminalRoutes } from "./terminal-routes.ts";
import { isObject, type Json, type JsonObject, parseJson, textOf } from "../json.ts";
import { findUser, isOutsider } from "../workspace/workspace.ts";
import { messageJson } from "../web-api/methods/message-json.ts";

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

function guard(routes: Hono, { worlds }: Slack, hosts: readonly string[]): void {
  const check = async (context: Context, next: () => Promise<void>): Promise<Response | undefined> => {
    const [world] = worlds();
    const problem = forBot.test(context.req.path) ? undefined : foreignCaller(world, callerOf(context.req.raw), hosts);
    if (problem !== undefined) return context.json({ error: problem }, 403);
    await next();
    return undefined;
  };
  routes.use("*", check);
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
  routes.use("*", async (context, next) => {
    await next();
    context.header("date", slack.worlds()[0].clock.now().toUTCString());
  });
  guard(routes, slack, hosts);
  routes.all("/api/:method", (context) => webApi.method(slack, context.req.param("method"), context.req.raw));
  routes.post("/response/:id", (context) => webApi.response(slack, context.req.param("id"), context.req.raw));
  routes.post("/upload/:id", (context) => webApi.upload(slack, context.req.param("id"), context.req.raw));
  routes.get("/files/:id", (context) => serveFile(slack, context.req.param("id")));
  routes.route("/", authorizeRoutes(slack));
  routes.all("/playground/*", async (context) => {
    const { raw } = context.req;
    const [first, ...others] = slack.worlds();
    return routesOf(others.length === 0 ? first : worldOf(slack, await nameIn(raw))).fetch(raw);
  });
  routes.route("/", assetRoutes());
  routes.onError((error, context) => {
    // Who left while sending a body gets no answer. Anything else is a bug, which the server reports and answers.
    if (!context.req.raw.signal.aborted) throw error;
    return context.body(null, 400);
  });
  return routes;
}

/** The person whom a request of the page or a terminal names: in its address, a header, or its body. */
async function nameIn(request: Request): Promise<string> {
  const named = new URL(request.url).searchParams.get("as") ?? request.headers.get("x-as");
  if (named !== null || request.method !== "POST") return named ?? "";
  const body = parseJson(await request.clone().text());
  return isObject(body) ? textOf(body["as"]) : "";
}

/** The workspace of a person by name or id; the first one for a name that none has. */
function worldOf({ worlds }: Pick<Slack, "worlds">, name: string): World {
  const knowing = worlds().filter(({ state }) => findUser(state, name) !== undefined);
  // Somebody may also be a guest from outside in another workspace.
  const home = knowing.find(({ state }) => {
    const user = findUser(state, name);
    return user !== undefined && !isOutsider(state, user);
  });
  return home ?? knowing[0] ?? worlds()[0];
}

/** The workspace as JSON for external tools: people, channels with their messages, the transcript. */
function stateJson(world: World): JsonObject {
  const { state } = world;
  const messagesOf = (channel: string): readonly Json[] =>
    state.messages
      .filter((message) => message.channel === channel)
      .map((message) => ({
        ...messageJson(world, message),
        ...(message.ephemeralTo === undefined ? {} : { ephemeral_to: message.ephemeralTo }),
        revision: message.revision,
      }));
  return {
    app: { name: world.app.name, commands: world.app.commands, scopes: world.app.scopes, events: world.app.events },
    revision: state.revision,
    users: [...state.users.values()].map((user) => ({ ...user })),
    channels: [...state.channels.values()].map((channel) => ({
      id: channel.id,
      name: channel.name,
      kind: channel.kind,
      members: [...channel.members],
      messages: messagesOf(channel.id),
    })),
    transcript: world.transcript.exchanges.map(({ direction, kind, atMs, status, ms, refusal }) => ({
      direction,
      kind,
      at_ms: atMs,
      status: status ?? null,
      ms: ms ?? null,
      refusal: refusal === undefined ? null : { ...refusal },
    })),
  };
}

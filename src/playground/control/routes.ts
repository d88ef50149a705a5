import { readFile, stat } from "node:fs/promises";
import { createHash } from "node:crypto";
import { Hono, type Context } from "hono";
import { authorizeRoutes } from "../installs/oauth.ts";
import type { Slack, World } from "../world.ts";
import { webApi } from "../web-api/web-api.ts";
import { callerOf, foreignCaller } from "./host-guard.ts";
import { pageRoutes } from "./page-routes.ts";
import { terminalRoutes } from "./terminal-routes.ts";
import { isObject, type Json, type JsonObject, parseJson, textOf } from "../json.ts";
import { findUser, isOutsider } from "../workspace/workspace.ts";
import { messageJson } from "../web-api/methods/messages.ts";

/** The playground's folder. A file's address is its path in it, so that relative imports work in a browser. */
const home = new URL("../", import.meta.url);

/** Files a browser may load: the page, and code without Node that the page shares with the workspace. */
const servable = [/^page\/(?:[a-z0-9-]+\/)*[a-z0-9-]+\.(?:ts|css|svg)$/, /^(?:json|block-kit|draw\/mrkdwn-tree)\.ts$/];

const vendor: Readonly<Record<string, string>> = {
  "preact.js": import.meta.resolve("preact"),
  "hooks.js": import.meta.resolve("preact/hooks"),
};

/** Images in messages may come from other hosts, as in Slack; nothing else may. */
function policyFor(inlineScripts: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src ${["'self'", ...inlineScripts].join(" ")}`,
    "style-src 'self'",
    "img-src 'self' https: data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

async function serve(url: URL, request: Request): Promise<Response> {
  const file = await loadAsset(url);
  if (file === undefined) return new Response("This file doesn't exist.", { status: 404 });
  const headers = {
    "content-type": file.contentType,
    "cache-control": "no-cache",
    etag: file.etag,
    "content-security-policy": policyFor(file.inlineScripts),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  };
  if (request.headers.get("if-none-match") === file.etag) return new Response(null, { status: 304, headers });
  return new Response(file.body, { headers });
}

/** The page and its modules, served from the sources with types stripped. */
export function assetRoutes(): Hono {
  const routes = new Hono();
  routes.get("/", (context) => serve(new URL("page/index.html", home), context.req.raw));
  routes.get("/page/vendor/:name", (context) => {
    const url = vendor[context.req.param("name")];
    return url === undefined ? context.notFound() : serve(new URL(url), context.req.raw);
  });
  routes.get("/*", (context) => {
    const path = context.req.path.slice(1);
    return servable.some((each) => each.test(path)) ? serve(new URL(path, home), context.req.raw) : context.notFound();
  });
  return routes;
}

/** A file as served. `inlineScripts` are the hashes of the scripts in an HTML page. */
type Asset = {
  readonly body: string;
  readonly contentType: string;
  readonly etag: string;
  readonly inlineScripts: readonly string[];
};

const contentTypes: Readonly<Record<string, string>> = {
  ts: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  svg: "image/svg+xml",
};

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

function inlineScripts(html: string): readonly string[] {
  const scripts = html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([^]*?)<\/script>/g);
  return [...scripts].map(([, text = ""]) => `'sha256-${hash(text)}'`);
}

/** Types become blanks, so that lines and columns in a browser's console match the source. */
async function withoutTypes(source: string): Promise<string> {
  // Only for a browser: loading it takes a start longer than most of what it needs.
  const { transformSync } = await import("amaro");
  return transformSync(source, { mode: "strip-only" }).code;
}

async function load(url: URL): Promise<Asset> {
  const source = await readFile(url, "utf8");
  const extension = url.pathname.slice(url.pathname.lastIndexOf(".") + 1);
  const body = extension === "ts" ? await withoutTypes(source) : source;
  return {
    body,
    contentType: contentTypes[extension] ?? "text/plain; charset=utf-8",
    etag: `"${hash(body)}"`,
    inlineScripts: extension === "html" ? inlineScripts(body) : [],
  };
}

const loaded = new Map<string, { readonly changedMs: number; readonly file: Promise<Asset> }>();

/** Reads a file and strips its types; cached until the file changes. Undefined if there is no such file. */
async function loadAsset(url: URL): Promise<Asset | undefined> {
  const found = await stat(url).catch(() => undefined);
  if (found === undefined || !found.isFile()) return undefined;
  const known = loaded.get(url.href);
  if (known?.changedMs === found.mtimeMs) return known.file;
  const file = load(url);
  loaded.set(url.href, { changedMs: found.mtimeMs, file });
  return file;
}

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

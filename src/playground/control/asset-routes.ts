import { readFile, stat } from "node:fs/promises";
import { createHash } from "node:crypto";
import { Hono } from "hono";

/** The playground's folder. A file's address is its path in it, so that relative imports work in a browser. */
const home = new URL("../", import.meta.url);

/** Files a browser may load: the page, and code without Node that the page shares with the workspace. */
const servable = [
  /^page\/(?:[a-z0-9-]+\/)*[a-z0-9-]+\.(?:ts|css|svg)$/,
  /^(?:json|draw\/mrkdwn-tree|workspace\/view-state)\.ts$/,
];

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

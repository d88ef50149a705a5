import { readFile } from "node:fs/promises";
import { Hono } from "hono";
import { type EmojiData, emojiNames } from "./emoji-names.ts";
import { loadAsset } from "./asset.ts";

/** The playground's folder. A file's address is its path in it, so that relative imports work in a browser. */
const home = new URL("../", import.meta.url);

/** Files a browser may load: the page, and code without Node that the page shares with the workspace. */
const servable = [
  /^page\/(?:[a-z0-9-]+\/)*[a-z0-9-]+\.(?:ts|css|svg)$/,
  /^draw\/mrkdwn[a-z-]*\.ts$/,
  /^(?:json|rules\/(?:limits|not-simulated)|workspace\/view-state)\.ts$/,
];

const vendor: Readonly<Record<string, string>> = {
  "preact.js": import.meta.resolve("preact"),
  "hooks.js": import.meta.resolve("preact/hooks"),
};

const pages: Readonly<Record<string, string>> = {
  "/": "page/index.html",
  "/gallery.html": "page/gallery.html",
  "/playground/gallery": "page/gallery.html",
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

async function readEmoji(): Promise<string> {
  const text = await readFile(new URL(import.meta.resolve("@emoji-mart/data")), "utf8");
  const data = JSON.parse(text) as EmojiData; // the package's own description of its only file
  return JSON.stringify(emojiNames(data));
}

let emoji: Promise<string> | undefined;

async function serveEmoji(): Promise<Response> {
  emoji ??= readEmoji();
  const headers = { "content-type": "application/json; charset=utf-8", "cache-control": "max-age=3600" };
  return new Response(await emoji, { headers });
}

/** The page and its modules, served from the sources with types stripped. */
export function assetRoutes(): Hono {
  const routes = new Hono();
  for (const [path, file] of Object.entries(pages)) {
    routes.get(path, (context) => serve(new URL(file, home), context.req.raw));
  }
  routes.get("/page/emoji.json", serveEmoji);
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

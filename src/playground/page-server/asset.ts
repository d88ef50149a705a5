import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { transformSync } from "amaro";

/** A file as served. `inlineScripts` are the hashes of the scripts in an HTML page. */
export type Asset = {
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

/** Types become blanks, so that lines and columns in a browser's console match the source. */
function stripped(source: string): string {
  return transformSync(source, { mode: "strip-only" }).code;
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

function inlineScripts(html: string): readonly string[] {
  const scripts = html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([^]*?)<\/script>/g);
  return [...scripts].map(([, text = ""]) => `'sha256-${hash(text)}'`);
}

async function load(url: URL): Promise<Asset> {
  const source = await readFile(url, "utf8");
  const extension = url.pathname.slice(url.pathname.lastIndexOf(".") + 1);
  const body = extension === "ts" ? stripped(source) : source;
  return {
    body,
    contentType: contentTypes[extension] ?? "text/plain; charset=utf-8",
    etag: `"${hash(body)}"`,
    inlineScripts: extension === "html" ? inlineScripts(body) : [],
  };
}

const loaded = new Map<string, { readonly changedMs: number; readonly file: Promise<Asset> }>();

/** Reads a file and strips its types; cached until the file changes. Undefined if there is no such file. */
export async function loadAsset(url: URL): Promise<Asset | undefined> {
  const found = await stat(url).catch(() => undefined);
  if (found === undefined || !found.isFile()) return undefined;
  const known = loaded.get(url.href);
  if (known?.changedMs === found.mtimeMs) return known.file;
  const file = load(url);
  loaded.set(url.href, { changedMs: found.mtimeMs, file });
  return file;
}

#!/usr/bin/env node
import { readFileSync } from "node:fs";
import type { SourceMap } from "node:module";
import { keepCompiled } from "../bot/compose/entry.ts";

// `gantry` in the image, as `bundle.ts` makes it. Stack traces name the sources: Node can do that as well, but takes 8 MB for
// it at once. Here a map is read with the first stack trace.

type Read = { readonly map: SourceMap | undefined };
const maps = new Map<string, Read>();

const PLACE = /(file:\/\/[^():]+\.js):(\d+):(\d+)/u;

function mapOf(url: string): SourceMap | undefined {
  const known = maps.get(url);
  if (known !== undefined) return known.map;
  const read = { map: readMap(url) };
  maps.set(url, read);
  return read.map;
}

function readMap(url: string): SourceMap | undefined {
  try {
    const { SourceMap: Reader } = process.getBuiltinModule("node:module");
    return new Reader(JSON.parse(readFileSync(new URL(`${url}.map`), "utf8")));
  } catch {
    // A file of somebody else, or no file can be opened any more.
    return undefined;
  }
}

function inSources(call: { readonly toString: () => string }): string {
  return call.toString().replace(PLACE, (place, url: string, line: string, column: string) => {
    const origin = mapOf(url)?.findOrigin(Number(line), Number(column));
    if (origin === undefined || !("fileName" in origin)) return place;
    return `${new URL(origin.fileName, url).href}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

Error.prepareStackTrace = (error, calls) =>
  [String(error), ...calls.map((call) => `    at ${inSources(call)}`)].join("\n");

keepCompiled();
await import("../main.ts");

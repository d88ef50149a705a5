import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SmallWorld, startSmallWorld } from "../support/small-world.ts";

let world: SmallWorld;
beforeAll(async () => {
  world = await startSmallWorld();
});
afterAll(async () => {
  await world.stop();
});

const get = async (path: string, headers: Record<string, string> = {}) => fetch(`${world.url}${path}`, { headers });

/** The status of all modules that a browser loads, starting with this one. */
async function loadAll(start: string): Promise<ReadonlyMap<string, number>> {
  const statuses = new Map<string, number>();
  const open = [start];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (statuses.has(path)) continue;
    const response = await get(path);
    statuses.set(path, response.status);
    const code = await response.text();
    expect(code, path).not.toMatch(/\bimport type\b|from "node:/);
    for (const [, target = ""] of code.matchAll(/^(?:import|export)\b[^"';]*?from "(\.[^"]+)"/gmu)) {
      open.push(new URL(target, `${world.url}${path}`).pathname);
    }
  }
  return statuses;
}

test("the page is one HTML file whose scripts are its own", async () => {
  const response = await get("/");
  const html = await response.text();
  const importMap = /<script type="importmap">([^]*?)<\/script>/u.exec(html)?.[1] ?? "";
  const policy = response.headers.get("content-security-policy") ?? "";

  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(JSON.parse(importMap)).toMatchObject({ imports: { preact: "/page/vendor/preact.js" } });
  expect(policy).toContain(`script-src 'self' 'sha256-${createHash("sha256").update(importMap).digest("base64")}'`);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe/u);
  expect(html).not.toMatch(/\son[a-z]+=|style=/u);
});

test("a module comes with its types stripped, and is not sent twice", async () => {
  const first = await get("/page/app/workspace.ts");
  const code = await first.text();
  const again = await get("/page/app/workspace.ts", { "if-none-match": first.headers.get("etag") ?? "" });

  expect(first.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(code).toContain("export function parseRoute(search");
  expect(code).not.toMatch(/export type|: Route/u);
  expect(again.status).toBe(304);
});

describe("every module that a browser asks for is served", () => {
  test("from the page's first one on", async () => {
    const statuses = await loadAll("/page/app/app.ts");

    expect([...statuses].filter(([, status]) => status !== 200)).toEqual([]);
    expect(statuses.size).toBeGreaterThan(20);
  });

  test("style sheets and the framework too", async () => {
    const html = await (await get("/")).text();
    const sheets = [...html.matchAll(/href="(\/page\/[^"]+)"/gu)].map(([, path = ""]) => path);
    const paths = [...new Set(sheets), "/page/vendor/preact.js", "/page/vendor/hooks.js"];
    const statuses = await Promise.all(paths.map(async (path) => (await get(path)).status));

    expect(paths.length).toBeGreaterThan(6);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

describe("nothing else is served", () => {
  test.each([
    "/workspace/state.ts",
    "/delivery/deliver.ts",
    "/page/tsconfig.json",
    "/page/../delivery/deliver.ts",
    "/page/..%2fdelivery/deliver.ts",
    "/page/%2e%2e/delivery/deliver.ts",
    "/page/vendor/nothing.js",
    "/page/app/nothing.ts",
    "/package.json",
  ])("%s", async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});

test("a foreign host name gets no page", async () => {
  const request = new Request(`${world.url}/`, { headers: { host: "evil.test" } });
  const response = await world.playground.fetch(request);

  expect(response.status).toBe(403);
});

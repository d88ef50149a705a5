import { expect, test } from "vitest";
import { assetRoutes } from "../../../src/playground/control/asset-routes.ts";

const routes = assetRoutes();
const importMap: Readonly<Record<string, string>> = {
  preact: "/page/vendor/preact.js",
  "preact/hooks": "/page/vendor/hooks.js",
};

/** The addresses of a file's imports, as a browser resolves them. */
function importsOf(source: string, path: string): readonly string[] {
  const names = [...source.matchAll(/^\s*(?:import|export)\b[^"';]*?from\s*"([^"]+)"/gm)].map(([, name = ""]) => name);
  return names.map((name) => importMap[name] ?? new URL(name, `http://page${path}`).pathname);
}

test("the browser gets everything that the gallery imports, without types", async () => {
  const waiting = ["/page/gallery/gallery.ts"];
  const answers = new Map<string, number>();

  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (answers.has(path)) continue;
    const answer = await routes.request(path);
    answers.set(path, answer.status);
    const source = await answer.text();
    if (path.endsWith(".ts")) waiting.push(...importsOf(source, path));
    expect(source, path).not.toMatch(/\bimport type\b|from "node:/);
  }

  expect([...answers].filter(([, status]) => status !== 200)).toEqual([]);
  expect(answers.size).toBeGreaterThan(30);
});

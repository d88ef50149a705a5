import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { Environment } from "../../src/bot/compose/environment.ts";
import { variables } from "../../src/bot/compose/variables.ts";

const root = join(import.meta.dirname, "../..");
const pages = ["README.md", "CONTRIBUTING.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)].filter(
  (page) => page.endsWith(".md"),
);

const read = (page: string): string => readFileSync(join(root, page), "utf8");

/** As GitHub makes them from headings. */
function anchorsOf(page: string): string[] {
  const headings = read(page).matchAll(/^#+ (.+)$/gmu);
  return [...headings].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test("the README is read in one sitting", () => {
  expect(read("README.md").split("\n").length).toBeLessThanOrEqual(200);
});

test.each(pages)("each link of %s leads somewhere", (page) => {
  const links = [...read(page).matchAll(/\]\((?<target>[^)\s]+)\)/gu)].map((match) => match.groups?.["target"] ?? "");
  const broken = links.filter((link) => {
    if (/^https?:/u.test(link)) return false;
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? page : join(dirname(page), path);
    return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
  });
  expect(broken).toEqual([]);
});

test("each page of docs is found from the README", () => {
  const readme = read("README.md");
  expect(pages.filter((page) => page !== "README.md" && !readme.includes(`(${page})`))).toEqual([]);
});

test("npm run commands in the documentation exist", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> }; // our own file
  const named = pages.flatMap((page) => [...read(page).matchAll(/npm run (?:--silent )?([a-z:-]+)/gu)]);
  expect(named.map(([, name = ""]) => name).filter((name) => scripts[name] === undefined)).toEqual([]);
});

test("the documented defaults are the real ones", () => {
  const defaults = Object.entries(Environment.parse({}));
  const documented = new Map(variables.flatMap(({ variables: group }) => Object.entries(group)));
  expect(defaults.length).toBeGreaterThan(10);
  expect(defaults.map(([name]) => [name, documented.get(name)?.default])).toEqual(
    defaults.map(([name, value]) => [name, String(value)]),
  );
});

test("every variable of the bot is documented in one group", () => {
  const names = variables.flatMap(({ variables: group }) => Object.keys(group));
  expect(new Set(names).size).toBe(names.length);
  expect(Object.keys(Environment.shape).filter((name) => !names.includes(name))).toEqual([]);
});

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { drawingLines } from "../../docs/.vitepress/drawings.ts";
import { anchorOf, pageOf, targetOf } from "../../docs/.vitepress/links.ts";
import { sidebar } from "../../docs/.vitepress/sidebar.ts";
import { botSettings, settingGroups } from "../../src/bot/compose/settings.ts";

const root = join(import.meta.dirname, "../..");
const top = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];
const pages = [...top, ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)].filter((page) =>
  page.endsWith(".md"),
);

/** The first page of the site. GitHub shows the README instead. */
const landing = "docs/index.md";

const read = (page: string): string => readFileSync(join(root, page), "utf8");

function anchorsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gmu)].map(([, title = ""]) => anchorOf(title));
}

function leadsNowhere({ path, anchor }: { readonly path: string; readonly anchor: string }): boolean {
  return !existsSync(join(root, path)) || (anchor !== "" && !anchorsOf(path).includes(anchor.slice(1)));
}

test("the README is read in one sitting", () => {
  expect(read("README.md").split("\n").length).toBeLessThanOrEqual(200);
});

test.each(pages)("each link of %s leads somewhere", (page) => {
  const links = [...read(page).matchAll(/\]\((?<target>[^)\s]+)\)/gu)].map((match) => match.groups?.["target"] ?? "");
  const broken = links.filter((link) => !/^https?:/u.test(link) && leadsNowhere(targetOf(link, page)));
  expect(broken).toEqual([]);
});

test("each page is in the menu of the site, and each line of the menu leads somewhere", () => {
  const files = new Map(pages.map((page) => [`/${pageOf(page)}`.replace(/(?:index)?\.md$/u, ""), page]));
  const targets = sidebar.flatMap(({ items }) =>
    items.map(({ link }) => {
      const [path = "", anchor] = link.split("#");
      return { path: files.get(path) ?? path, anchor: anchor === undefined ? "" : `#${anchor}` };
    }),
  );

  expect(targets.filter(leadsNowhere)).toEqual([]);
  // The name of the site leads to its first page.
  expect(pages.filter((page) => page !== landing && !targets.some(({ path }) => path === page))).toEqual([]);
});

test("each page of docs is found from the README", () => {
  const readme = read("README.md");
  expect(pages.filter((page) => page !== "README.md" && page !== landing && !readme.includes(`(${page})`))).toEqual([]);
});

test("npm run commands in the documentation exist", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> }; // our own file
  const named = pages.flatMap((page) => [...read(page).matchAll(/npm run (?:--silent )?([a-z:-]+)/gu)]);
  expect(named.map(([, name = ""]) => name).filter((name) => scripts[name] === undefined)).toEqual([]);
});

const rows = settingGroups.flatMap(({ settings }) => Object.entries(settings));

test("no default is written twice", () => {
  const twice = rows.filter(([, { schema, unset }]) => unset !== undefined && schema.safeParse(undefined).data);
  expect(rows.length).toBeGreaterThan(50);
  expect(twice).toEqual([]);
});

test("every variable of the bot is documented in one group", () => {
  const names = rows.map(([name]) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(Object.keys(botSettings).filter((name) => !names.includes(name))).toEqual([]);
});

test("on the site, a drawing is a list of its arrows", () => {
  const drawings = pages.flatMap((page) => [...read(page).matchAll(/^```mermaid\n(.+?)^```/gmsu)]);
  const lines = drawings.flatMap(([, drawing = ""]) => drawingLines(drawing));

  expect(lines).toContain("Gantry → Slack (Socket Mode: out, :443)");
  expect(lines).toContain("Gantry → SQLite in its folder, or PostgreSQL :5432");
  expect(lines).toContain("start → pending (needs approvals)");
  expect(lines).toContain("commands → views");
  expect(lines).toContain("store → workflow (types)");
  // Nothing of Mermaid's own is left in them.
  expect(lines.filter((line) => /--|[<>[\]"|&]/u.test(line))).toEqual([]);
});

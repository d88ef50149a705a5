import { cpSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { defineConfig, type MarkdownRenderer } from "vitepress";
import { version } from "../../src/platform/version.ts";
import { anchorOf, pageOf, targetOf } from "./links.ts";
import { sidebar } from "./sidebar.ts";

const root = join(import.meta.dirname, "../..");
/** Files that pages link to and that aren't pages: they are published beside them. */
const linkedFiles = new Set<string>();

/** Leads links between files of the repository to pages of the site, and to copies of what isn't a page. */
function linksOfRepository(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("links-of-repository", ({ tokens, env }) => {
    const { path: rewritten, realPath = rewritten } = env as { path: string; realPath?: string }; // set by VitePress
    const from = relative(root, realPath).replaceAll(sep, "/");
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const link = token.type === "link_open" ? token.attrGet("href") : null;
      if (link === null || /^(?:\w+:|#)/u.test(link)) continue;
      const { path, anchor } = targetOf(link, from);
      const page = pageOf(path);
      if (page === undefined) linkedFiles.add(path);
      token.attrSet("href", `/${page ?? path}${anchor}`);
    }
  });
}

const style = `
/* Of tables without names for their columns. */
.vp-doc thead:not(:has(th:not(:empty))) { display: none; }
@media (min-width: 1440px) { .VPDoc.has-aside .content-container { max-width: 820px !important; } }
/* Names of variables are longer than a phone is wide. */
@media (max-width: 640px) {
  .vp-doc th, .vp-doc td { padding: 6px 8px; }
  .vp-doc td:first-child:has(code) { min-width: 132px; }
  .vp-doc td code { padding: 1px 3px; overflow-wrap: anywhere; }
}
`;

// oxlint-disable-next-line import/no-default-export -- VitePress reads nothing else
export default defineConfig({
  title: "Gantry",
  description: "Run container workloads from Slack",
  head: [
    ["link", { rel: "icon", href: "data:," }],
    ["style", {}, style],
  ],
  // The README, which is the first page, and its neighbours are outside docs/.
  srcDir: root,
  srcExclude: ["{.*,chart,coverage,src,test}/**"],
  rewrites: (file) => pageOf(file) ?? file,
  outDir: join(root, "docs/.vitepress/dist"),
  cacheDir: join(root, "docs/.vitepress/cache"),
  // Addresses of Gantry itself, where people follow the page.
  ignoreDeadLinks: "localhostLinks",
  markdown: { anchor: { slugify: anchorOf }, config: linksOfRepository },
  themeConfig: {
    nav: [{ text: version, link: "/changelog" }],
    sidebar: sidebar.map(({ text, items }) => ({ text, items: [...items] })),
    outline: [2, 3],
    search: { provider: "local" },
    docFooter: { prev: false, next: false },
  },
  buildEnd({ outDir }) {
    for (const file of linkedFiles) cpSync(join(root, file), join(outDir, file));
  },
});

import { cpSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { defineConfig, type MarkdownRenderer } from "vitepress";
import { version } from "../../src/platform/version.ts";
import { drawingLines } from "./drawings.ts";
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

/** Gives each cell the name of its column, which a phone shows: there a row is a list of its cells. */
function namesOfColumns(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("names-of-columns", ({ tokens }) => {
    let names: string[] = [];
    let at = 0;
    for (const [index, { type }] of tokens.entries()) {
      if (type === "table_open") names = [];
      if (type === "tr_open") at = 0;
      if (type === "th_open") names.push(tokens[index + 1]?.content ?? "");
      if (type === "td_open") tokens[index]?.attrSet("data-column", names[at++]?.replaceAll("`", "") ?? "");
    }
  });
}

/** Shows drawings as lists: VitePress would show their source. */
function drawingsAsLists(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("drawings-as-lists", ({ tokens }) => {
    for (const token of tokens.filter(({ type, info }) => type === "fence" && info === "mermaid")) {
      const items = drawingLines(token.content).map((line) => `<li>${markdown.utils.escapeHtml(line)}</li>`);
      token.type = "html_block";
      token.content = `<ul v-pre>${items.join("")}</ul>\n`;
    }
  });
}

const style = `
/* Of tables without names for their columns. */
.vp-doc thead:not(:has(th:not(:empty))) { display: none; }
@media (min-width: 1440px) { .VPDoc.has-aside .content-container { max-width: 820px !important; } }
/* Three columns don't fit on a phone: a row is a list there. */
@media (max-width: 640px) {
  .vp-doc table { display: block; }
  .vp-doc thead { display: none; }
  .vp-doc tbody, .vp-doc tr, .vp-doc td { display: block; }
  .vp-doc tr { padding: 8px 0; }
  .vp-doc td { padding: 2px 8px; border: 0; overflow-wrap: anywhere; }
  .vp-doc td:not(:first-child):not([data-column=""])::before { content: attr(data-column) ": "; color: var(--vp-c-text-2); }
  .vp-doc td code { padding: 1px 3px; overflow-wrap: anywhere; }
}
`;

function extend(markdown: MarkdownRenderer): void {
  linksOfRepository(markdown);
  namesOfColumns(markdown);
  drawingsAsLists(markdown);
}

// oxlint-disable-next-line import/no-default-export -- VitePress reads nothing else
export default defineConfig({
  title: "Gantry",
  description: "Run container workloads from Slack",
  head: [
    ["link", { rel: "icon", href: "data:," }],
    ["style", {}, style],
  ],
  // The README and its neighbours are outside docs/.
  srcDir: root,
  srcExclude: ["{.*,chart,coverage,src,test}/**"],
  rewrites: (file) => pageOf(file) ?? file,
  outDir: join(root, "docs/.vitepress/dist"),
  cacheDir: join(root, "docs/.vitepress/cache"),
  // Addresses of Gantry itself, where people follow the page.
  ignoreDeadLinks: "localhostLinks",
  markdown: { anchor: { slugify: anchorOf }, config: extend },
  themeConfig: {
    nav: [{ text: version, link: "/changelog" }],
    sidebar: sidebar.map(({ text, items }) => ({ text, items: [...items] })),
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        miniSearch: {
          searchOptions: {
            // A page or section about the word comes before those that only use it.
            boost: { title: 6, titles: 2, text: 1 },
            boostDocument: (page) =>
              /^\/(?:benchmarks|kill-tests|changelog|contributing|report)\b/u.test(page) ? 0.3 : 1,
          },
        },
      },
    },
    docFooter: { prev: false, next: false },
  },
  buildEnd({ outDir }) {
    for (const file of linkedFiles) cpSync(join(root, file), join(outDir, file));
  },
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { anchorOf } from "../../../docs/.vitepress/links.ts";

export const root = join(import.meta.dirname, "../../..");
const files = ["README.md", "SECURITY.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)];

/** Commands of a page that are shown together. */
type Block = {
  /** `docs/backup.md#sqlite`: the page and the heading above. */
  readonly at: string;
  readonly heading: string;
  /** One of several lines is one. */
  readonly commands: readonly string[];
  /** The paragraph below says what no test runs. */
  readonly isMarked: boolean;
};

export const blocks: readonly Block[] = files
  .filter((file) => file.endsWith(".md"))
  .flatMap((file) => blocksOf(file, readFileSync(join(root, file), "utf8")));

function blocksOf(file: string, page: string): readonly Block[] {
  const found = page.matchAll(/^```(?:sh|bash)\n(?<text>[^]*?)^```\n+(?<below>(?:.+\n)*)/gmu);
  return [...found].map(({ groups: { text = "", below = "" } = {}, index }) => {
    const above = page.slice(0, index).replaceAll(/^```[^]*?^```$/gmu, "");
    const heading = [...above.matchAll(/^#+ (.+)$/gmu)].at(-1)?.[1] ?? "";
    return {
      at: `${file}#${anchorOf(heading)}`,
      heading,
      commands: text
        .replaceAll(/\\\n\s*/gu, "")
        .trim()
        .split("\n"),
      isMarked: below.includes("Not run by a test"),
    };
  });
}

/** All commands below a heading. */
export function commandsAt(at: string): readonly string[] {
  const commands = blocks.filter((block) => block.at === at).flatMap((block) => block.commands);
  if (commands.length === 0) throw new Error(`there are no commands at ${at}`);
  return commands;
}

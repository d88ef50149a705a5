import { readFileSync } from "node:fs";
import { join } from "node:path";

const page = readFileSync(join(import.meta.dirname, "../../../docs/deployment.md"), "utf8");

/** The commands under a heading of docs/deployment.md, in order; one of several lines is one. */
export function commandsUnder(heading: string): readonly string[] {
  return blocksUnder(heading, "sh").flatMap((block) =>
    block
      .replaceAll(/\\\n\s*/gu, "")
      .trim()
      .split("\n"),
  );
}

/** The first file under a heading, in this language. */
export function fileUnder(heading: string, language: string): string {
  const [content] = blocksUnder(heading, language);
  if (content === undefined) throw new Error(`there is no file in ${language} under ${heading}`);
  return content;
}

/** The names of the variables in the file under a heading. */
export function settingsUnder(heading: string): readonly string[] {
  return blocksUnder(heading, "ini").flatMap((block) => [...block.matchAll(/^\w+/gmu)].map(([name]) => name));
}

function blocksUnder(heading: string, language: string): readonly string[] {
  const [, section] = page.split(`\n### ${heading}\n`);
  if (section === undefined) throw new Error(`docs/deployment.md has no heading ${heading}`);
  const [own = ""] = section.split(/\n##/u);
  return [...own.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gmu"))].map(([, block = ""]) => block);
}

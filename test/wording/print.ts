import { stdout } from "node:process";
import { viewOf, views } from "./views.ts";
import { sourceFiles, wordingsIn } from "./collect.ts";

/** Prints every text that people may read, by view. `npm run strings -- help` prints the views whose name has "help". */
const wanted = process.argv[2]?.toLowerCase() ?? "";
const files = sourceFiles();
for (const view of views) {
  if (!view.title.toLowerCase().includes(wanted)) continue;
  const texts = new Set(
    files.filter((file) => viewOf(file) === view).flatMap((file) => wordingsIn(file).map(({ text }) => text)),
  );
  stdout.write(`\n## ${view.title}\n\n`);
  for (const text of texts) stdout.write(`- ${text.replaceAll("\n", "\n  ")}\n`);
}

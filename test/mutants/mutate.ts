import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant } from "./mutants.ts";

/** The source with the bug in it. Throws an Error with a sentence when the text is not there exactly once. */
export function mutate(source: string, { file, bug, text, becomes }: Omit<Mutant, "tests">): string {
  const found = source.split(text).length - 1;
  if (found === 1) return source.replace(text, () => becomes);
  throw new Error(
    `The text of the mutant “${bug}” occurs ${found} times in ${file}, and has to occur once. Bring its entry in test/mutants up to date.`,
  );
}

/** Why this mutant cannot be tried in that folder; undefined when it can. */
export function problemOf(root: string, mutant: Mutant): string | undefined {
  const missing = [mutant.file, ...mutant.tests.map(({ file }) => file)].find((file) => !existsSync(join(root, file)));
  if (missing !== undefined) return `The mutant “${mutant.bug}” names ${missing}, and there is no such file.`;
  if (mutant.tests.length === 0) return `The mutant “${mutant.bug}” names no test that has to fail.`;
  try {
    mutate(readFileSync(join(root, mutant.file), "utf8"), mutant);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

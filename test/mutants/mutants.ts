import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A plausible bug of one line. One of the named tests has to fail with it. */
export type Mutant = {
  readonly bug: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly text: string;
  readonly becomes: string;
  readonly tests: readonly NamedTest[];
};

/** The title of a test holds those of its groups. Without one, all tests of the file are meant. */
export type NamedTest = { readonly file: string; readonly title?: string };

const lists = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".txt"))
  .map((name) => join(import.meta.dirname, name));

export const mutants: readonly Mutant[] = lists.flatMap((path) => mutantsIn(readFileSync(path, "utf8")));

/**
 * The mutants of a list. Below the path of a source, each begins with its bug:
 *
 *     src/bot/store/advance.ts
 *     * a request expires that isn't due any more
 *     - only: [isOver]
 *     + only: []
 *     = test/bot/store/on-sqlite.test.ts: the title of a test
 *
 * Several lines that begin with - are one text. Without a + it is deleted.
 */
export function mutantsIn(list: string): readonly Mutant[] {
  return list.split("\n\n").flatMap((source) => {
    const [file = "", ...entries] = source.trimEnd().split("\n* ");
    return entries.map((entry): Mutant => {
      const [bug = "", ...lines] = entry.split("\n");
      const marked = (mark: string) => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(2));
      return {
        bug,
        file,
        text: marked("-").join("\n"),
        becomes: marked("+").join("\n"),
        tests: marked("=").map(namedTest),
      };
    });
  });
}

function namedTest(line: string): NamedTest {
  const [file = "", ...title] = line.split(": ");
  return title.length === 0 ? { file } : { file, title: title.join(": ") };
}

/** Writes into the lists by which test each of these bugs was caught. */
export function recordCatchers(caught: ReadonlyMap<string, Required<NamedTest>>): void {
  for (const path of lists) {
    const list = readFileSync(path, "utf8");
    const recorded = list.replace(/^\* (.+)\n((?:[-+].*\n)+)(?:= .*\n)+/gmu, (entry, bug: string, change: string) => {
      const test = caught.get(bug);
      return test === undefined ? entry : `* ${bug}\n${change}= ${test.file}: ${test.title}\n`;
    });
    writeFileSync(path, recorded);
  }
}

import { join } from "node:path";
import { parseArgs } from "node:util";
import { runProgram } from "../support/program.ts";
import { type Mutant, mutants, recordCatchers } from "./mutants.ts";
import { problemOf } from "./mutate.ts";
import { type Chosen, copyTree, type Place, type Result, TO_THE_END, type Tree } from "./tree.ts";

/** Breaks the sources on purpose, one line at a time, in a copy of the tree: fails when no test notices. */

const root = join(import.meta.dirname, "../..");
const LONGEST_RUN_MS = 40 * 60_000;
const trees: Tree[] = [];

/** Runs at the same time. */
const LANES = 2;

type Options = { readonly only: string; readonly records: boolean };

const usage = `npm run test:mutants -- [options]
  --only TEXT   only mutants with TEXT in their file or bug
  --record      writes into test/mutants which test of its files catches each mutant soonest: it is tried first the next time
`;

/** Throws an Error with one sentence when they make no sense. */
function readOptions(args: readonly string[]): Options {
  const options = { only: { type: "string", default: "" }, record: { type: "boolean", default: false } } as const; // literals
  const { values } = parseArgs({ args: [...args], options });
  return { only: values.only, records: values.record };
}

async function main({ only, records }: Options): Promise<number> {
  const since = performance.now();
  const chosen = mutants.filter(({ file, bug }) => file.includes(only) || bug.includes(only));
  const problems = chosen.flatMap((mutant) => problemOf(root, mutant) ?? []);
  if (chosen.length === 0) problems.push(`No mutant has “${only}” in its file or bug.`);
  if (problems.length > 0) return fail(problems);
  for (let lane = 0; lane < Math.min(LANES, chosen.length); lane += 1)
    trees.push(copyTree(root, records ? [TO_THE_END] : []));
  const caught = await tryAll(chosen, records);
  const wrong = await tryWithout([...caught.values()]);
  if (wrong !== undefined) return fail([wrong]);
  if (records) recordCatchers(new Map([...caught].map(([{ bug }, place]) => [bug, place])));
  const seconds = Math.round((performance.now() - since) / 1000);
  say(`${caught.size} of ${chosen.length} mutants were caught, in ${seconds} s`);
  return caught.size === chosen.length ? 0 : 1;
}

const words: Readonly<Record<Result["kind"], string>> = { failed: "caught  ", passed: "SURVIVED", broken: "BROKEN  " };

/** Each tree takes the next mutant until there is none; gives those that were caught, with the test that failed. */
async function tryAll(chosen: readonly Mutant[], records: boolean): Promise<ReadonlyMap<Mutant, Place>> {
  const waiting = [...chosen];
  const caught = new Map<Mutant, Place>();
  const lane = async (tree: Tree): Promise<void> => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const result = await tryOne(tree, mutant, records);
      const by = result.kind === "failed" ? result.tests[0] : undefined;
      say(`${words[result.kind]} ${mutant.file}: ${mutant.bug}${by ? "" : `\n${detail(result)}`}`);
      if (by && !records && mutant.tests.every(({ title = by.title }) => title !== by.title))
        say("  its entry names another test: bring it up to date with --record");
      if (by) caught.set(mutant, by);
    }
  };
  await Promise.all(trees.map(lane));
  return caught;
}

/** Tries the tests whose title is known, unless it is to be found, then each of its files in order. */
async function tryOne(tree: Tree, mutant: Mutant, records: boolean): Promise<Result> {
  const titled = mutant.tests.flatMap(({ file, title }): Chosen[] =>
    title && !records ? [{ file, titles: [title] }] : [],
  );
  const tries: readonly Chosen[] = [...titled, ...mutant.tests.map(({ file }) => ({ file }))];
  const results: Result[] = [];
  for (const each of tries) {
    const result = await tree.runWith(mutant, [each]);
    if (result.kind === "failed") return result;
    results.push(result);
  }
  const broken = results.find(({ kind }) => kind === "broken");
  return broken ?? { kind: "passed", tests: results.flatMap((each) => (each.kind === "passed" ? each.tests : [])) };
}

/**
 * Only a test that passes without the bug shows anything by failing with it. Tried twice, because a machine that stalls can
 * fail one.
 */
async function tryWithout(catchers: readonly Place[]): Promise<string | undefined> {
  const files = [...Map.groupBy(catchers, ({ file }) => file)].map(([file, places]): Chosen => ({
    file,
    titles: [...new Set(places.map(({ title }) => title))],
  }));
  const results = await Promise.all(
    trees.map(async (tree, lane) => {
      const share = files.filter((_, index) => index % trees.length === lane);
      const first = await passing(tree, share);
      if (first === undefined) return undefined;
      say(`once more without a mutant: ${first}`);
      return await passing(tree, share);
    }),
  );
  const wrong = results.find((each) => each !== undefined);
  return wrong && `A test that failed with a mutant doesn't pass without it, so nothing was shown: ${wrong}`;
}

/** What went wrong when these tests were run, each of which has to pass. */
async function passing(tree: Tree, chosen: readonly Chosen[]): Promise<string | undefined> {
  if (chosen.length === 0) return undefined;
  const result = await tree.run(chosen);
  if (result.kind !== "passed") return detail(result);
  const missing = chosen.flatMap(({ file, titles = [] }) =>
    titles.filter((title) => !result.tests.some((each) => each.file === file && each.title === title)),
  );
  return missing.length === 0 ? undefined : `not run: ${missing.join("; ")}`;
}

function detail(result: Result): string {
  switch (result.kind) {
    case "passed":
      return `  all ${result.tests.length} tests of its files passed`;
    case "failed":
      return result.tests.map(({ title }) => title).join("; ");
    case "broken":
      return `  the tests came to no verdict:\n${result.output}`;
  }
}

function fail(sentences: readonly string[]): number {
  for (const sentence of sentences) process.stderr.write(`${sentence}\n`);
  return 1;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await runProgram({
  name: "The mutation check",
  longestMs: LONGEST_RUN_MS,
  usage,
  readOptions,
  main,
  atExit: () => {
    for (const { remove } of trees) remove();
  },
});

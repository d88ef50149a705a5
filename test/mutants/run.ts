import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runProgram } from "../support/program.ts";
import { type Mutant, mutants } from "./mutants.ts";
import { problemOf } from "./mutate.ts";
import { copyTree, type Result, type Tree } from "./tree.ts";

/** Breaks the sources on purpose, one line at a time, in a copy of the tree: fails when no test notices. */

const root = join(import.meta.dirname, "../..");
const LONGEST_RUN_MS = 20 * 60_000;
const trees: Tree[] = [];

type Options = { readonly only: string; readonly lanes: number };

const usage = `npm run test:mutants -- [options]
  --only TEXT   only mutants with TEXT in their file or bug
  --lanes N     runs at the same time (2)
`;

/** Throws an Error with one sentence when they make no sense. */
function readOptions(args: readonly string[]): Options {
  const lanes = String(Math.min(2, availableParallelism()));
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: "string", default: "" }, lanes: { type: "string", default: lanes } },
  });
  if (!/^[1-9]\d?$/u.test(values.lanes)) throw new Error("--lanes has to be a number from 1 to 99");
  return { only: values.only, lanes: Number(values.lanes) };
}

async function main({ only, lanes }: Options): Promise<number> {
  const since = performance.now();
  const chosen = mutants.filter(({ file, bug }) => file.includes(only) || bug.includes(only));
  const problems = chosen.flatMap((mutant) => problemOf(root, mutant) ?? []);
  if (chosen.length === 0) problems.push(`No mutant has “${only}” in its file or bug.`);
  if (problems.length > 0) return fail(problems);
  for (let lane = 0; lane < Math.min(lanes, chosen.length); lane += 1) trees.push(copyTree(root));
  const wrongBefore = await tryWithout(chosen);
  if (wrongBefore !== undefined) return fail([wrongBefore]);
  const uncaught = await tryAll(chosen);
  const seconds = Math.round((performance.now() - since) / 1000);
  say(`${chosen.length - uncaught.length} of ${chosen.length} mutants were caught, in ${seconds} s`);
  return uncaught.length === 0 ? 0 : 1;
}

/**
 * Only a test that passes without the bug shows anything by failing with it. Tried twice, because a machine that stalls can
 * fail one.
 */
async function tryWithout(chosen: readonly Mutant[]): Promise<string | undefined> {
  const files = [...new Set(chosen.flatMap(({ tests }) => tests))];
  const share = Math.ceil(files.length / trees.length);
  const shares = trees.map((tree, lane) => ({ tree, files: files.slice(lane * share, (lane + 1) * share) }));
  const busy = shares.filter((each) => each.files.length > 0);
  const results = await Promise.all(
    busy.map(async (each) => {
      const first = await each.tree.run(each.files);
      if (first.kind === "passed") return first;
      say(`once more without a mutant: ${detail(first)}`);
      return await each.tree.run(each.files);
    }),
  );
  const wrong = results.find(({ kind }) => kind !== "passed");
  return wrong && `The tests fail without a mutant, so nothing was tried: ${detail(wrong)}`;
}

const words: Readonly<Record<Result["kind"], string>> = { failed: "caught  ", passed: "SURVIVED", broken: "BROKEN  " };

/** Each tree takes the next mutant until there is none; gives those that no test caught. */
async function tryAll(chosen: readonly Mutant[]): Promise<readonly Mutant[]> {
  const waiting = [...chosen];
  const uncaught: Mutant[] = [];
  const lane = async (tree: Tree): Promise<void> => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const result = await tree.runWith(mutant);
      const isCaught = result.kind === "failed";
      say(`${words[result.kind]} ${mutant.file}: ${mutant.bug}${isCaught ? "" : `\n${detail(result)}`}`);
      if (!isCaught) uncaught.push(mutant);
    }
  };
  await Promise.all(trees.map(lane));
  return uncaught;
}

function detail(result: Result | undefined): string {
  switch (result?.kind) {
    case "passed":
      return `  all ${result.tests} tests of its files passed`;
    case "failed":
      return result.tests.join("; ");
    default:
      return `  the tests came to no verdict:\n${result?.output ?? ""}`;
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

import { createVitest, type TestCase, type TestModule } from "vitest/node";
import { type Chosen, type Result, TO_THE_END } from "./tree.ts";

/**
 * Runs tests in the tree of its working directory, each time that its parent names some, and sends what came of them.
 * One Vitest does it for all mutants of a tree: starting it costs as much as most of these tests. Its worker is a new
 * process each time, so it imports the sources as they are then.
 */

const patienceMs = 30_000;
const PRINTED = 2_000;

/** What was reported of the run that is on: Vitest's own result also holds what came of all earlier ones. */
let modules: TestModule[] = [];
let ended: TestCase[] = [];

/** Otherwise one failed test is enough. To the end, the quickest of all that fail is found. */
const isToTheEnd = process.argv.includes(TO_THE_END);

const vitest = await createVitest("test", {
  watch: false,
  maxWorkers: 1,
  isolate: false,
  bail: isToTheEnd ? 0 : 1,
  testTimeout: patienceMs,
  hookTimeout: patienceMs,
  reporters: [
    {
      onTestModuleEnd: (module) => void modules.push(module),
      onTestCaseResult: (test) => void ended.push(test),
    },
  ],
});
const { config } = vitest;
const files = new Map(
  (await vitest.globTestSpecifications())
    .filter(({ project }) => ["gantry", "processes", "postgres"].includes(project.name))
    .map((found) => [found.moduleId, found]),
);

process.on("message", (chosen) => void run(chosen as readonly Chosen[])); // sent by tree.ts
process.send?.("ready");

async function run(chosen: readonly Chosen[]): Promise<void> {
  process.send?.(await resultOf(chosen));
}

async function resultOf(chosen: readonly Chosen[]): Promise<Result> {
  try {
    const specifications = chosen.flatMap(({ file, titles }) => {
      const found = files.get(`${config.root}/${file}`);
      if (found === undefined || titles === undefined) return found ?? [];
      return found.project.createSpecification(found.moduleId, { testNames: [...titles] });
    });
    if (specifications.length < chosen.length) return broken(["Not all of these files are tests."]);
    modules = [];
    ended = [];
    const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
    const failed = ended.filter((test) => test.result().state === "failed").toSorted((a, b) => tookMs(a) - tookMs(b));
    if (failed.length > 0) return { kind: "failed", tests: failed.map(placeOf) };
    const wrong = [...unhandledErrors.map(String), ...modules.flatMap(whyWithout)];
    if (modules.length < specifications.length) wrong.push("Not all of these files were run.");
    if (wrong.length > 0) return broken(wrong);
    return { kind: "passed", tests: ended.filter((test) => test.result().state === "passed").map(placeOf) };
  } catch (error) {
    return broken([String(error)]);
  }
}

function tookMs(test: TestCase): number {
  return test.diagnostic()?.duration ?? Infinity;
}

function placeOf({ module, fullName }: TestCase) {
  return { file: module.relativeModuleId, title: fullName };
}

/** Why a file has no verdict: one that can't be loaded has no tests at all. */
function whyWithout(module: TestModule): readonly string[] {
  const errors = module.errors().map(({ message }) => message);
  const isEmpty = [...module.children.allTests()].length === 0;
  return isEmpty || errors.length > 0 ? [`${module.relativeModuleId}: ${errors.join("\n") || "it has no tests"}`] : [];
}

function broken(wrong: readonly string[]): Result {
  return { kind: "broken", output: wrong.join("\n").slice(0, PRINTED) };
}

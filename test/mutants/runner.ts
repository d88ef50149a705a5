import { createVitest, type TestModule } from "vitest/node";
import type { Result } from "./tree.ts";

/**
 * Runs test files in the tree of its working directory, each time that its parent names some, and sends what came of
 * them. One Vitest does it for all mutants of a tree: starting it costs as much as most of these tests. Its worker is a
 * new process each time, so it imports the sources as they are then.
 */

const patienceMs = 60_000;
const PRINTED = 2_000;

const vitest = await createVitest("test", {
  watch: false,
  maxWorkers: 1,
  isolate: false,
  // One failed test is all there is to know.
  bail: 1,
  testTimeout: patienceMs,
  hookTimeout: patienceMs,
  // Without a method it prints nothing.
  reporters: [{}],
});

process.on("message", (tests) => void run(tests as readonly string[])); // sent by tree.ts
process.send?.("ready");

async function run(tests: readonly string[]): Promise<void> {
  process.send?.(await resultOf(tests));
}

async function resultOf(tests: readonly string[]): Promise<Result> {
  try {
    const specifications = await vitest.globTestSpecifications([...tests]);
    if (specifications.length < tests.length) return broken(["Not all of these files are tests."]);
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
    const all = testModules.flatMap(({ children }) => [...children.allTests()]);
    const failed = all.filter((test) => test.result().state === "failed");
    if (failed.length > 0) return { kind: "failed", tests: failed.map(({ name }) => name) };
    const wrong = [...unhandledErrors.map(String), ...testModules.flatMap(whyWithout)];
    if (wrong.length > 0) return broken(wrong);
    return { kind: "passed", tests: all.length };
  } catch (error) {
    return broken([String(error)]);
  }
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
